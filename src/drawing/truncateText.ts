/** Ends a text that is too long with an ellipsis. */
export const truncateText = (text: string, lettersMax: number): string =>
  text.length > lettersMax ? `${text.slice(0, lettersMax - 1)}…` : text
