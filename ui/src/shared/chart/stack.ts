/** One row of marks: a place on the axis and a value for each series; null is a gap, zero is zero. */
export interface ChartRow {
  label: string;
  values: (number | null)[];
}

/** A drawn part of a stack, in the units of the values. */
export interface Segment {
  series: number;
  from: number;
  to: number;
}

/** Lays the values of a row on top of each other; gaps take no room. */
export function stack(row: ChartRow): Segment[] {
  let top = 0;
  const segments: Segment[] = [];
  row.values.forEach((value, series) => {
    if (value === null || value === 0) return;
    segments.push({ series, from: top, to: top + value });
    top += value;
  });
  return segments;
}

/** The height of the tallest stack; at least a little, so that the axis has a length. */
export function peak(rows: ChartRow[]): number {
  const heights = rows.map((row) => row.values.reduce<number>((sum, value) => sum + (value ?? 0), 0));
  return Math.max(0, ...heights);
}

/** Every how many labels one is written, so that they do not touch. */
export function labelStep(count: number, fitting: number): number {
  return Math.max(1, Math.ceil(count / fitting));
}
