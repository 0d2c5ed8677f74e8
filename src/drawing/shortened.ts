/** A text of no more than so many letters: what is left out of a longer one is shown to be. */
export const shortened = (text: string, lettersMax: number): string =>
  text.length > lettersMax ? `${text.slice(0, lettersMax - 1)}…` : text
