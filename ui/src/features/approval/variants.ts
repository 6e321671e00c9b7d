/** The plain no, which the host lists among the variants where a no can mean more than one thing. */
export const PLAIN_NO = "no";
