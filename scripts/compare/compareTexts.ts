import { sentences, writeSentences } from "./renames.ts"
import { textChanges } from "./textChanges.ts"
import type { TextUnit } from "./textUnits.ts"

const shown = (unit: TextUnit): string => JSON.stringify(unit.join("${}"))

/**
 * Compares the sentences in both trees' sources, so that none changes unseen by the runs. Prints those that are not
 * among the reviewed ones; with `accept`, they become reviewed.
 */
export const compareTexts = async (base: string, next: string, accept: boolean): Promise<void> => {
  const { changed, gone, added, counts } = await textChanges(base, next)
  console.log(
    `  ${JSON.stringify({ ...counts, changed: changed.length, gone: gone.length, added: added.length })}`
  )
  const known = new Set(sentences.map((pair) => JSON.stringify(pair)))
  const fresh = changed.filter((pair) => !known.has(JSON.stringify(pair)))
  console.log(`  ${changed.length - fresh.length} changed as reviewed, ${fresh.length} not reviewed`)
  for (const [before, now] of fresh) console.log(`    - ${shown(before)}\n    + ${shown(now)}`)
  const [reviewed, becoming] = [0, 1].map((side) => new Set(sentences.map((pair) => shown(pair[side] ?? []))))
  for (const text of gone.map(shown)) if (reviewed?.has(text) !== true) console.log(`    - ${text}`)
  for (const text of added.map(shown)) if (becoming?.has(text) !== true) console.log(`    + ${text}`)
  if (!accept) return
  const kept = new Map(sentences.map((pair) => [shown(pair[0]), pair] as const))
  for (const pair of fresh) kept.set(shown(pair[0]), pair)
  writeSentences([...kept.values()])
}
