import fc from "fast-check"
import * as Effect from "effect/Effect"
import { describe, expect, it, vi } from "vitest"
import { validRequests } from "./validRequests.ts"
import { isUnexpectedAnswer } from "./unexpectedAnswers.ts"
import { apiVersionOf, servedKinds, type Kind } from "../../src/kubernetes/meta/kinds.ts"
import { openObservedServer, type ObservedServer } from "./observedServer.ts"
import { missingFields, placesIn, plainValue, schemaOf, valueAt, withValue } from "./publishedSchemas.ts"
import type { Path } from "./publishedSchemas.ts"

/** `FUZZ_REQUESTS=200000 FUZZ_SEED=7 npx vitest run test/fuzz` sends more requests, of another seed. */
const seed = Number(process.env["FUZZ_SEED"] ?? 20_261_122)
const requestsMax = Number(process.env["FUZZ_REQUESTS"] ?? 10_000)

const timeoutMillis = 60_000 + requestsMax * 10

const fieldsTried = 120
/** So many objects are sent between two advances of the clock. */
const showEvery = 1000
const randomSends = 6000

type Fields = Readonly<Record<string, unknown>>

/** A kind, its collection, and an accepted object with many of its fields. */
interface Sample {
  readonly kind: Kind
  readonly collection: string
  readonly object: Fields
}

describe("objects of the published types", () => {
  it(
    `with fields left out and edge values break neither server nor observers (seed ${seed})`,
    async () => {
      const logged: Array<string> = []
      const log = vi.spyOn(console, "error").mockImplementation((...parts: ReadonlyArray<unknown>) => {
        logged.push(parts.map(String).join(" "))
      })
      try {
        await using server = await openObservedServer()
        const sender = makeSender(server)
        const samples = await grownSamples(sender)
        let sent = 0
        for (const send of allSends(samples)) {
          if (sender.count() >= requestsMax) break
          await sender.send(send)
          sent += 1
          if (sent % showEvery !== 0) continue
          await Effect.runPromise(server.cluster.advance(30_000))
          await server.showAll()
        }
        await server.showAll()
        expect(sender.strange.slice(0, 5)).toEqual([])
        expect(logged.slice(0, 5)).toEqual([])
        // Only accepted objects reach the observers.
        expect(sender.accepted()).toBeGreaterThan(requestsMax / 4)
        await expectService(server)
      } finally {
        log.mockRestore()
      }
    },
    timeoutMillis
  )
})

interface Send {
  readonly sample: Sample
  readonly object: Fields
  readonly verb: (typeof verbs)[number]
  /** The paths that differ from the sample, for patches. */
  readonly changed: ReadonlyArray<Path>
}

const verbs = ["create", "replace", "merge", "strategic", "json", "apply", "status", "statusMerge"] as const

/** An object with the fields that the server requires beyond the schema's. */
const startOf = (kind: Kind, collection: string): Fields => {
  const own = validRequests.find((it) => it.collection === collection)?.object ?? {}
  return { apiVersion: apiVersionOf(kind), kind: kind.kind, metadata: { name: "a" }, ...own }
}

const collectionOf = ({ group, version, plural, namespaced }: Kind): string => {
  const base = group === "" ? `/api/${version}` : `/apis/${group}/${version}`
  return namespaced ? `${base}/namespaces/default/${plural}` : `${base}/${plural}`
}

/** One sample per kind, with every optional field that the server accepts. */
const grownSamples = async (sender: Sender): Promise<ReadonlyArray<Sample>> => {
  const samples: Array<Sample> = []
  for (const kind of servedKinds) {
    const schema = schemaOf(kind)
    if (schema === undefined || !kind.verbs.includes("create")) continue
    const collection = collectionOf(kind)
    let object = startOf(kind, collection)
    if (!(await sender.isAccepted(collection, object))) {
      object = { ...(plainValue(schema) as Fields), ...object }
    }
    const tried = new Set<string>()
    for (let index = 0; index < fieldsTried; index += 1) {
      const next = missingFields(object, schema).find(({ path }) => !tried.has(path.join(".")))
      if (next === undefined) break
      tried.add(next.path.join("."))
      const larger = withValue(object, next.path, next.value) as Fields
      if (await sender.isAccepted(collection, larger)) object = larger
    }
    samples.push({ kind, collection, object })
  }
  return samples
}

const edges: ReadonlyArray<unknown> = [
  null,
  "",
  " ",
  "\u001B[31m\u0007",
  "\u{1F4A5}\u202E",
  "x".repeat(300),
  0,
  -1,
  2 ** 31 - 1,
  2 ** 31,
  2 ** 53,
  1.5,
  true,
  false,
  [],
  {},
  "0",
  "-1",
  "0001-01-01T00:00:00Z",
  "9999-12-31T23:59:59Z",
  "100%",
  "1e99"
]

const turns = <A>(all: ReadonlyArray<A>): ((turn: number) => A) => {
  const [first] = all
  if (first === undefined) throw new Error("there is nothing to take turns")
  return (turn) => all[turn % all.length] ?? first
}
const verbAt = turns(verbs)
const edgeAt = turns(edges)

/**
 * Leaves out each field and sets each scalar to an edge value. Rounds take turns of verbs and edges, so that enough
 * rounds combine all of them at all places.
 */
function* systematic(samples: ReadonlyArray<Sample>, round: number): Generator<Send> {
  let turn = round
  for (const sample of samples) {
    for (const path of placesIn(sample.object)) {
      turn += 1
      yield changedBy(sample, [{ path, value: undefined }], verbAt(turn))
      if (typeof valueAt(sample.object, path) === "object") continue
      yield changedBy(sample, [{ path, value: edgeAt(turn * 7 + round) }], verbAt(turn + 1))
    }
  }
}

function* allSends(samples: ReadonlyArray<Sample>): Generator<Send> {
  for (let round = 0; ; round += 1) {
    yield* systematic(samples, round)
    yield* random(samples, round)
  }
}

/** Random sets of fields left out or set to edge values. */
function* random(samples: ReadonlyArray<Sample>, round: number): Generator<Send> {
  const choice = fc.record({
    sample: fc.constantFrom(...samples),
    verb: fc.constantFrom(...verbs, "create" as const, "create" as const),
    places: fc.array(fc.record({ at: fc.nat(), edge: fc.option(fc.nat(), { nil: undefined }) }), {
      minLength: 1,
      maxLength: 12
    })
  })
  for (const { sample, verb, places } of fc.sample(choice, { seed: seed + round, numRuns: randomSends })) {
    const all = placesIn(sample.object)
    if (all.length === 0) continue
    const pathAt = turns(all)
    const changes = places.map(({ at, edge }) => ({
      path: pathAt(at),
      value: edge === undefined ? undefined : edgeAt(edge)
    }))
    yield changedBy(sample, changes, verb)
  }
}

const changedBy = (
  sample: Sample,
  changes: ReadonlyArray<{ readonly path: Path; readonly value: unknown }>,
  verb: Send["verb"]
): Send => {
  const object = changes.reduce<unknown>((it, { path, value }) => withValue(it, path, value), sample.object)
  return { sample, object: object as Fields, verb, changed: changes.map(({ path }) => path) }
}

interface Sender {
  /** Tests an object by a dry run. */
  readonly isAccepted: (collection: string, object: Fields) => Promise<boolean>
  readonly send: (send: Send) => Promise<void>
  readonly count: () => number
  readonly accepted: () => number
  readonly strange: ReadonlyArray<string>
}

const namesKept = 12

const makeSender = ({ request }: ObservedServer): Sender => {
  const unexpected: Array<string> = []
  let count = 0
  let accepted = 0
  const ask = async (method: string, path: string, body?: unknown, type = "json"): Promise<number> => {
    count += 1
    const headers = { "content-type": `application/${type}` }
    const { code, text } = await request(method, path, body === undefined ? {} : { body, headers })
    if (isUnexpectedAnswer({ code, text }))
      unexpected.push(`${method} ${path} ${JSON.stringify(body)}: ${code} ${text}`)
    if (code < 300) accepted += 1
    return code
  }
  const named = (object: Fields, name: string): Fields => ({
    ...object,
    metadata: { ...(object["metadata"] as Fields | undefined), name }
  })
  return {
    isAccepted: async (collection, object) => (await ask("POST", `${collection}?dryRun=All`, object)) < 300,
    send: async ({ sample: { collection, object: whole }, object, verb, changed }) => {
      const name = `a-${count % namesKept}`
      const place = `${collection}/${name}`
      if (verb === "create") {
        const code = await ask("POST", collection, named(object, name))
        if (code !== 409) return
        await ask("DELETE", `${place}?gracePeriodSeconds=0`)
        await ask("POST", collection, named(object, name))
        return
      }
      const below = verb.startsWith("status") ? "/status" : ""
      if (verb === "replace" || verb === "status" || verb === "apply") {
        const method = verb === "apply" ? "PATCH" : "PUT"
        const query = verb === "apply" ? "?fieldManager=fuzz&force=true" : ""
        const type = verb === "apply" ? "apply-patch+yaml" : "json"
        const code = await ask(method, `${place}${below}${query}`, named(object, name), type)
        if (code === 404 && verb === "replace") await ask("POST", collection, named(whole, name))
        return
      }
      const code = await ask("PATCH", `${place}${below}`, ...patchOf(verb, object, changed))
      if (code === 404) await ask("POST", collection, named(whole, name))
    },
    count: () => count,
    accepted: () => accepted,
    strange: unexpected
  }
}

const patchOf = (verb: Send["verb"], object: Fields, changed: ReadonlyArray<Path>): [unknown, string] => {
  if (verb === "json") {
    const operations = changed.map((path) => {
      const pointer = `/${path.map((key) => String(key).replaceAll("~", "~0").replaceAll("/", "~1")).join("/")}`
      const value = valueAt(object, path)
      return value === undefined ? { op: "remove", path: pointer } : { op: "add", path: pointer, value }
    })
    return [operations, "json-patch+json"]
  }
  const patch = changed.reduce<unknown>((it, path) => {
    const fields = path.slice(0, firstIndex(path))
    return withValue(it, fields, valueAt(object, fields) ?? null)
  }, {})
  return [patch, verb === "strategic" ? "strategic-merge-patch+json" : "merge-patch+json"]
}

const firstIndex = (path: Path): number => {
  const index = path.findIndex((key) => typeof key === "number")
  return index < 0 ? path.length : index
}

const expectService = async ({ cluster, request }: ObservedServer): Promise<void> => {
  for (const kind of ["pods", "replicasets", "deployments"]) {
    const base = kind === "pods" ? "/api/v1" : "/apis/apps/v1"
    await request("DELETE", `${base}/namespaces/default/${kind}?gracePeriodSeconds=0`)
  }
  const labels = { app: "after" }
  const body = {
    metadata: { name: "after", namespace: "after" },
    spec: {
      replicas: 3,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: "app", image: "app:v1" }] } }
    }
  }
  await request("POST", "/api/v1/namespaces", { body: { metadata: { name: "after" } } })
  const made = await request("POST", "/apis/apps/v1/namespaces/after/deployments", { body })
  expect(made.code).toBe(201)
  const outcome = await Effect.runPromise(cluster.rollout("after", { namespace: "after" }))
  expect(outcome).toMatchObject({ outcome: "complete" })
}
