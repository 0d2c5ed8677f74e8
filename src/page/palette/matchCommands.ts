import { searchWords } from "../searchWords.ts"

export interface PaletteCommand {
  readonly label: string
  /** The keyboard shortcut. */
  readonly keys?: string
  readonly run: () => void
}

/** Labels with every word of the query match. Labels whose words begin with the query's words come first. */
export const matchCommands = (
  commands: ReadonlyArray<PaletteCommand>,
  query: string
): ReadonlyArray<PaletteCommand> => {
  const words = searchWords(query)
  if (words.length === 0) return commands
  return commands
    .map((command) => ({ command, distance: distanceOf(command.label.toLowerCase(), words) }))
    .filter(({ distance }) => distance < Infinity)
    .sort((a, b) => a.distance - b.distance)
    .map(({ command }) => command)
}

/** The sum over the words: 0 for a whole word of the label, 1 for its beginning, 2 inside of one. */
const distanceOf = (label: string, words: ReadonlyArray<string>): number => {
  const labelWords = label.split(/[\s/:,-]+/u)
  return words.reduce((sum, word) => {
    if (!label.includes(word)) return Infinity
    if (labelWords.includes(word)) return sum
    return sum + (labelWords.some((it) => it.startsWith(word)) ? 1 : 2)
  }, 0)
}
