import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import type { StoreDigest } from "./digestStores.setup.ts"

const readDigests = (folder: string): ReadonlyArray<StoreDigest> =>
  globSync("*.jsonl", { cwd: folder })
    .flatMap((file) => readFileSync(join(folder, file), "utf8").trim().split("\n"))
    .map((line) => JSON.parse(line) as StoreDigest)

/** Takes equal digests away from both sides. */
const subtract = (
  before: ReadonlyArray<StoreDigest>,
  now: ReadonlyArray<StoreDigest>,
  digestOf: (store: StoreDigest) => string
): readonly [ReadonlyArray<StoreDigest>, ReadonlyArray<StoreDigest>] => {
  const counts = new Map<string, number>()
  for (const store of now) counts.set(digestOf(store), (counts.get(digestOf(store)) ?? 0) + 1)
  const left = before.filter((store) => {
    const count = counts.get(digestOf(store)) ?? 0
    if (count > 0) counts.set(digestOf(store), count - 1)
    return count === 0
  })
  const right = now.filter((store) => {
    const count = counts.get(digestOf(store)) ?? 0
    if (count > 0) counts.set(digestOf(store), count - 1)
    return count > 0
  })
  return [left, right]
}

const sum = (stores: ReadonlyArray<StoreDigest>): string => {
  const writes = stores.reduce((total, store) => total + store.writes, 0)
  const bytes = stores.reduce((total, store) => total + store.bytes, 0)
  return `${stores.length} stores, ${writes} writes, ${bytes} bytes`
}

/** Compares what the stores of all tests were given, whatever the tests are called and wherever they are. */
export const compareStores = (base: string, next: string): void => {
  const [before, now] = [readDigests(base), readDigests(next)]
  console.log(`  before: ${sum(before)}\n  now:    ${sum(now)}`)
  const [left, right] = subtract(before, now, ({ exact }) => exact)
  console.log(`  the same to the byte: ${before.length - left.length} stores`)
  const [lost1, found1] = subtract(left, right, ({ timeless }) => timeless)
  console.log(`  the same but for the machine's clock: ${left.length - lost1.length} stores`)
  const [lost, found] = subtract(lost1, found1, ({ unordered }) => unordered)
  console.log(`  the same but for the order of fields: ${lost1.length - lost.length} stores`)
  for (const [title, stores] of [
    ["only before", lost],
    ["only now", found]
  ] as const) {
    console.log(`\n  ${title}: ${sum(stores)}`)
    const lines = stores.map(
      ({ file, test, writes, seed, first }) =>
        `    ${file} > ${test} (${writes} writes, seed ${seed}, ${first})`
    )
    for (const line of lines.sort()) console.log(line)
  }
}
