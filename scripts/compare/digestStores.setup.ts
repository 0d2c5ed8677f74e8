import { createHash, randomUUID } from "node:crypto"
import { appendFileSync, mkdirSync } from "node:fs"
import { join, relative } from "node:path"
import { afterAll, expect } from "vitest"
import type { Hash } from "node:crypto"

/** What one store of one test has stored. */
export interface StoreDigest {
  readonly file: string
  readonly test: string
  readonly seed: number
  readonly writes: number
  readonly bytes: number
  /** Of every write: its instant, its version, its type and its whole object. */
  readonly exact: string
  /** The same without instants, for clusters on the real clock. */
  readonly timeless: string
  /** Without the order of fields as well, for tests whose data have another order. */
  readonly unordered: string
  readonly first: string
}

interface Change {
  readonly type: string
  readonly resource: string
  readonly resourceVersion: number
  readonly object: { readonly metadata: { readonly namespace?: string; readonly name: string } }
}

interface Running {
  readonly file: string
  readonly test: string
  readonly seed: number
  readonly first: string
  writes: number
  bytes: number
  readonly exact: Hash
  readonly timeless: Hash
  readonly unordered: Hash
  readonly dump: string | undefined
}

declare global {
  var digestWrite:
    | ((replica: object, change: Change, options: { seed: number; nowMillis: () => number }) => void)
    | undefined
}

const out = process.env["DIGEST_OUT"] ?? "digests"
/** Writes of the stores of these test files are kept as text. */
const dumped = process.env["DIGEST_DUMP"]?.split(",") ?? []
mkdirSync(out, { recursive: true })
const running = new Map<object, Running>()
const instant = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g

const sorted = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, field]) => [name, sorted(field)])
  )
}

globalThis.digestWrite = (replica, change, options) => {
  let store = running.get(replica)
  if (store === undefined) {
    const state = expect.getState()
    const file = relative(process.cwd(), state.testPath ?? "")
    const { namespace = "", name } = change.object.metadata
    store = {
      file,
      test: state.currentTestName ?? "",
      seed: options.seed,
      first: `${change.type} ${change.resource} ${namespace}/${name}`,
      writes: 0,
      bytes: 0,
      exact: createHash("sha1"),
      timeless: createHash("sha1"),
      unordered: createHash("sha1"),
      dump: dumped.some((part) => file.includes(part)) ? join(out, `${randomUUID()}.dump`) : undefined
    }
    running.set(replica, store)
    if (store.dump !== undefined) appendFileSync(store.dump, `${store.file} > ${store.test}\n`)
  }
  const object = JSON.stringify(change.object)
  const line = `${options.nowMillis()} ${change.resourceVersion} ${change.type} ${change.resource} ${object}\n`
  store.writes += 1
  store.bytes += line.length
  store.exact.update(line)
  const head = `${change.resourceVersion} ${change.type} ${change.resource} `
  store.timeless.update(`${head}${object}`.replaceAll(instant, "T"))
  store.unordered.update(`${head}${JSON.stringify(sorted(change.object))}`.replaceAll(instant, "T"))
  if (store.dump !== undefined) appendFileSync(store.dump, line)
}

afterAll(() => {
  const lines = Array.from(
    running.values(),
    ({ exact, timeless, unordered, file, test, seed, first, writes, bytes }) => {
      const hashes = {
        exact: exact.digest("hex"),
        timeless: timeless.digest("hex"),
        unordered: unordered.digest("hex")
      }
      return JSON.stringify({ file, test, seed, first, writes, bytes, ...hashes } satisfies StoreDigest)
    }
  )
  running.clear()
  if (lines.length > 0) appendFileSync(join(out, `${process.pid}.jsonl`), `${lines.join("\n")}\n`)
})
