/**
 * A value as it arrives. The generated types call a 64-bit count `bigint`, but JSON has only numbers, and counts stay
 * far below what a number holds exactly; amounts of money are texts.
 */
export type Wire<T> = T extends bigint ? number : T extends object ? { [K in keyof T]: Wire<T[K]> } : T;
