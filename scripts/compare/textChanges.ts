import { textUnits } from "./textUnits.ts"
import type { TextUnit } from "./textUnits.ts"

export interface TextChanges {
  readonly changed: ReadonlyArray<readonly [before: TextUnit, now: TextUnit]>
  readonly gone: ReadonlyArray<TextUnit>
  readonly added: ReadonlyArray<TextUnit>
  readonly counts: { readonly before: number; readonly now: number; readonly kept: number }
}

const keyOf = (unit: TextUnit): string => unit.join("\u0000")
const wordsOf = (unit: TextUnit): ReadonlySet<string> =>
  new Set(
    unit
      .join(" ")
      .toLowerCase()
      .match(/[\p{L}\d]+/gu) ?? []
  )

/** How many of their words two sentences share, with a little for pieces in the same order. */
const likeness = (before: TextUnit, now: TextUnit): number => {
  const [some, others] = [wordsOf(before), wordsOf(now)]
  const shared = [...some].filter((word) => others.has(word)).length
  return shared / Math.max(1, Math.max(some.size, others.size))
}

/**
 * Which sentence became which: in the files that have most in common, what stands in the place of another one; then
 * what is most alike.
 */
export const textChanges = async (base: string, next: string): Promise<TextChanges> => {
  const [before, now] = [await textUnits(base), await textUnits(next)]
  const [all, others] = [[...before.values()].flat(), [...now.values()].flat()]
  const [known, present] = [new Set(all.map(keyOf)), new Set(others.map(keyOf))]
  const gone = new Map(all.filter((unit) => !present.has(keyOf(unit))).map((unit) => [keyOf(unit), unit]))
  const added = new Map(others.filter((unit) => !known.has(keyOf(unit))).map((unit) => [keyOf(unit), unit]))
  const changed: Array<readonly [TextUnit, TextUnit]> = []
  const take = (left: TextUnit, right: TextUnit): void => {
    if (!gone.delete(keyOf(left))) return
    // A sentence may stand for several of the older ones.
    added.delete(keyOf(right))
    changed.push([left, right])
  }
  const filesOf = new Map<string, Array<string>>()
  for (const [file, units] of now) {
    for (const key of new Set(units.map(keyOf))) filesOf.set(key, [...(filesOf.get(key) ?? []), file])
  }
  for (const units of before.values()) {
    const votes = new Map<string, number>()
    for (const key of new Set(units.map(keyOf))) {
      const files = filesOf.get(key) ?? []
      for (const file of files) votes.set(file, (votes.get(file) ?? 0) + 1 / files.length)
    }
    const [like] = [...votes].sort(([, a], [, b]) => b - a)[0] ?? []
    if (like !== undefined) alignSequences(units, now.get(like) ?? [], take, gone, added)
  }
  const candidates = [...gone.values()].flatMap((left) =>
    [...added.values()].map((right) => [likeness(left, right), left, right] as const)
  )
  for (const [like, left, right] of candidates.sort(([a], [b]) => b - a)) {
    if (like >= 0.4 && added.has(keyOf(right))) take(left, right)
  }
  const counts = {
    before: known.size,
    now: present.size,
    kept: [...known].filter((key) => present.has(key)).length
  }
  return { changed, gone: [...gone.values()], added: [...added.values()], counts }
}

/** Between two sentences that both files have, as many new ones as old ones stand in their places. */
const alignSequences = (
  before: ReadonlyArray<TextUnit>,
  now: ReadonlyArray<TextUnit>,
  take: (before: TextUnit, now: TextUnit) => void,
  gone: ReadonlyMap<string, TextUnit>,
  added: ReadonlyMap<string, TextUnit>
): void => {
  let at = 0
  let block: Array<TextUnit> = []
  const close = (end: number): void => {
    const fresh = now.slice(at, end).filter((unit) => added.has(keyOf(unit)))
    if (fresh.length === block.length) block.forEach((unit, index) => take(unit, fresh[index] ?? unit))
    else {
      for (const unit of block) {
        const [best] = fresh
          .map((it) => [likeness(unit, it), it] as const)
          .filter(([like]) => like >= 0.34)
          .sort(([a], [b]) => b - a)
        if (best !== undefined) take(unit, best[1])
      }
    }
    block = []
  }
  for (const unit of before) {
    if (gone.has(keyOf(unit))) {
      block.push(unit)
      continue
    }
    const found = now.findIndex((it, index) => index >= at && keyOf(it) === keyOf(unit))
    if (found === -1) continue
    close(found)
    at = found + 1
  }
  close(now.length)
}
