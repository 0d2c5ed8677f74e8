export const truncateText = (text: string, lettersMax: number): string =>
  text.length > lettersMax ? `${text.slice(0, lettersMax - 1)}…` : text
