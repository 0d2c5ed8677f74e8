export const compareTexts = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
