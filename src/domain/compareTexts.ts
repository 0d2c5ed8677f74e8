/** By UTF-16 units, as `<` has it: the order of texts that does not hang on where a program runs. */
export const compareTexts = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
