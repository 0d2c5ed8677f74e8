/** A place in a drawing: finer than a tenth of a unit nobody sees, and every digit is carried along. */
export const tenths = (value: number): number => Math.round(value * 10) / 10
