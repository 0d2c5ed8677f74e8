/** Keeps drawings small: a tenth of a unit is not visible. */
export const roundToTenth = (value: number): number => Math.round(value * 10) / 10
