import { once } from "node:events"
import { get } from "node:http"
import { describe, expect, it } from "vitest"
import { deploymentManifest } from "../../cluster/testCluster.ts"
import { isUnreadable } from "../../../src/recording/readEntry.ts"
import { readRecording } from "../../../src/recording/readRecording.ts"
import { openTestServer, token } from "../testServer.ts"
import type { IncomingMessage } from "node:http"
import type { ClusterOptions } from "../../../src/cluster/clusterOptions.ts"
import type { RecordingEntry } from "../../../src/recording/entry.ts"
import type { ParsedRecording } from "../../../src/recording/readRecording.ts"
import type { TestServer } from "../testServer.ts"

const recording = "/charthouse/v1/recording"
const deployments = "/apis/apps/v1/namespaces/default/deployments"
const mergePatch = { "content-type": "application/merge-patch+json" }

const withWeb = async (record: ClusterOptions["record"] = true): Promise<TestServer> => {
  const server = await openTestServer({ behaviour: "steady", record })
  await server.request("POST", deployments, { body: deploymentManifest({ replicas: 2 }) })
  await server.request("POST", "/charthouse/v1/clock/settle")
  return server
}

const scale = (server: TestServer, replicas: number) =>
  server.request("PATCH", `${deployments}/web`, { body: { spec: { replicas } }, headers: mergePatch })

const read = (text: string): ParsedRecording => {
  const found = readRecording(text)
  if (isUnreadable(found)) throw new Error(found.problem)
  return found
}

const entriesIn = (text: string): ReadonlyArray<RecordingEntry> =>
  text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as RecordingEntry)

const linesUntil = async (
  watching: Awaited<ReturnType<TestServer["watch"]>>,
  isWanted: (entry: RecordingEntry) => boolean
): Promise<ReadonlyArray<RecordingEntry>> => {
  const lines: Array<RecordingEntry> = []
  for (;;) {
    const [entry] = (await watching.next(1)) as ReadonlyArray<RecordingEntry>
    if (entry === undefined) throw new Error("nothing came")
    lines.push(entry)
    if (isWanted(entry)) return lines
  }
}

const isReady =
  (replicas: number) =>
  (entry: RecordingEntry): boolean =>
    entry.type === "object" &&
    entry.resource === "deployments" &&
    (entry.object as { readonly status?: { readonly readyReplicas?: number } }).status?.readyReplicas ===
      replicas

describe("the recording endpoint", () => {
  it("answers with one entry per line, which is a readable recording", async () => {
    await using world = await withWeb()
    const { code, text, headers } = await world.request("GET", recording)
    expect([code, headers["content-type"]]).toEqual([200, "application/x-ndjson"])
    const { header, entries, isCutOff } = read(text)
    expect([header.title, header.seed, isCutOff]).toEqual(["seed 1", 1, false])
    const kinds = entries.flatMap((it) => (it.type === "object" ? [it.object.kind] : []))
    expect(new Set(kinds)).toEqual(
      new Set(["Node", "Service", "EndpointSlice", "Deployment", "ReplicaSet", "Pod", "Event"])
    )
    expect(entries.filter(({ type }) => type === "step").length).toBeGreaterThan(20)
  })

  it("with watch continues with later changes and steps", async () => {
    await using server = await withWeb()
    const watching = await server.watch(`${recording}?watch=1`)
    const before = await linesUntil(watching, ({ type, number }) => type === "clock" && number > 10)
    await scale(server, 3)
    await server.request("POST", "/charthouse/v1/clock/settle")
    const after = await linesUntil(watching, isReady(3))
    const whole = read([...before, ...after].map((it) => `${JSON.stringify(it)}\n`).join(""))
    expect(whole.isCutOff).toBe(true)
    const scaling = whole.entries.find((it) => it.type === "step" && it.step.to.includes("rollout.scaling"))
    expect(scaling).toMatchObject({ step: { writes: [{ resource: "replicasets.apps" }, {}] } })
    watching.close()
  })

  it("with watch sends the clock's time after an advance without changes", async () => {
    await using world = await openTestServer({ record: true, nodes: 0 })
    const watching = await world.watch(`${recording}?watch=1&steps=none`)
    const begun = await linesUntil(watching, ({ type }) => type === "clock")
    const advanced = await world.request("POST", "/charthouse/v1/clock/advance?by=7m")
    expect(advanced.code).toBe(200)
    const [now, later] = (await watching.next(2)) as ReadonlyArray<RecordingEntry>
    const { number = 0, atMillis = 0 } = begun.at(-1) ?? {}
    expect(now).toEqual({ type: "clock", number, atMillis, speed: 0 })
    expect(later).toEqual({ type: "clock", number, atMillis: atMillis + 420_000, speed: 0 })
    watching.close()
  })

  it("with since continues after an entry, without a header", async () => {
    await using world = await withWeb()
    const whole = entriesIn((await world.request("GET", recording)).text)
    const [header] = whole
    if (header?.type !== "header") throw new Error("no header")
    const middle = whole[Math.floor(whole.length / 2)]?.number ?? 0
    const { text } = await world.request("GET", `${recording}?since=${middle}&id=${header.id}`)
    const rest = entriesIn(text)
    expect(rest.slice(0, -1)).toEqual(whole.slice(0, -1).filter(({ number }) => number > middle))
    expect(rest[0]?.type).not.toBe("header")
  })

  it.each([
    { why: "of another recording", query: (_id: string) => "since=20&id=1-abc-6-xyz", record: true },
    { why: "in the future", query: (id: string) => `since=2000000&id=${id}`, record: true },
    { why: "that is no longer kept", query: (id: string) => `since=7&id=${id}`, record: { changesMax: 5 } }
  ])("begins anew with a header for a number $why", async ({ query, record }) => {
    await using world = await withWeb(record)
    const [header] = entriesIn((await world.request("GET", recording)).text)
    if (header?.type !== "header") throw new Error("no header")
    const { text } = await world.request("GET", `${recording}?${query(header.id)}`)
    expect(read(text).header).toEqual(header)
  })

  it("leaves out all steps, or the steps of other actors", async () => {
    await using world = await withWeb()
    const only = async (query: string): Promise<ReadonlyArray<string>> => {
      const { entries } = read((await world.request("GET", `${recording}?${query}`)).text)
      return [
        ...new Set(entries.map((it) => (it.type === "step" ? `${it.step.kind} ${it.step.name}` : it.type)))
      ]
    }
    expect(await only("steps=none")).toEqual(["object", "clock"])
    expect(await only("steps=Deployment/default/web")).toEqual(["object", "clock", "Deployment web"])
    expect(await only("steps=Node//node-2&objects=none")).toEqual(["Node node-2"])
    const pods = (await world.request("GET", "/api/v1/namespaces/default/pods")).json.items
    const name: string = pods[0].metadata.name
    expect(await only(`steps=Container/default/${name}/app&objects=none`)).toEqual([`Container ${name}/app`])
    expect(await only("steps=Pod/default/gone&objects=none")).toEqual([])
  })

  it("begins with the objects at its first kept change", async () => {
    await using server = await withWeb({ changesMax: 30, stepsMax: 9 })
    await scale(server, 5)
    await server.request("POST", "/charthouse/v1/clock/settle")
    const { header, entries } = read((await server.request("GET", recording)).text)
    const there = entries.filter(({ number }) => number <= header.number)
    expect(there.every((it) => it.type === "clock" || (it.type === "object" && it.change === "ADDED"))).toBe(
      true
    )
    expect(there.every(({ atMillis }) => atMillis === header.atMillis)).toBe(true)
    expect(entries.filter(({ type, number }) => type !== "step" && number > header.number)).toHaveLength(30)
    const stepsOf = entries.flatMap((it) => (it.type === "step" ? [it.step.kind] : []))
    expect(stepsOf.filter((kind) => kind === "Pod").length).toBeLessThanOrEqual(9)
    const pods = (await server.request("GET", "/api/v1/pods")).json.items.map(
      ({ metadata }: { readonly metadata: { readonly uid: string } }) => metadata.uid
    )
    const lastChange = new Map(
      entries.flatMap((it) =>
        it.type === "object" && it.resource === "pods" ? [[it.object.metadata.uid, it.change] as const] : []
      )
    )
    for (const uid of pods) expect(lastChange.get(uid)).not.toBe("DELETED")
    expect([...lastChange.values()].filter((change) => change !== "DELETED")).toHaveLength(pods.length)
  })

  it("sends a slow reader all entries", async () => {
    await using server = await openTestServer({ behaviour: "steady", record: true, nodes: 9 })
    await server.request("POST", deployments, { body: deploymentManifest({ replicas: 50 }) })
    await server.request("POST", "/charthouse/v1/clock/settle")
    const { text: whole } = await server.request("GET", recording)
    expect(whole.length).toBeGreaterThan(1_000_000)
    const { port } = server
    const headers = { authorization: `Bearer ${token}` }
    const slow = get({ host: "127.0.0.1", port, path: `${recording}?watch=1`, headers })
    const [response] = (await once(slow, "response")) as [IncomingMessage]
    await scale(server, 53)
    await server.request("POST", "/charthouse/v1/clock/settle")
    const { entries } = read((await server.request("GET", recording)).text)
    const last = entries.at(-1)?.number ?? 0
    let text = ""
    for await (const piece of response.setEncoding("utf8")) {
      text += String(piece)
      if (text.endsWith("\n") && text.slice(-1_000_000).includes(`"number":${last},`)) break
    }
    const lastChange = read(text).entries.filter(({ type }) => type !== "clock")
    expect(lastChange).toEqual(entries.filter(({ type }) => type !== "clock"))
    slow.destroy()
  })

  it("answers 401 without the token", async () => {
    await using world = await withWeb()
    const { code, json } = await world.request("GET", recording, { headers: { authorization: "Bearer x" } })
    expect([code, json.reason]).toEqual([401, "Unauthorized"])
  })

  it.each([
    { query: "steps=some", message: 'steps: Unsupported value: "some"' },
    { query: "steps=Secret/default/web", message: 'steps: Unsupported value: "Secret/default/web"' },
    { query: "steps=Node/default/node-1", message: 'steps: Unsupported value: "Node/default/node-1"' },
    { query: "steps=Pod//web", message: 'steps: Unsupported value: "Pod//web"' },
    { query: "steps=Pod/default/web/app", message: 'steps: Unsupported value: "Pod/default/web/app"' },
    { query: "steps=Container/default/web", message: 'steps: Unsupported value: "Container/default/web"' },
    { query: "objects=some", message: 'objects: Unsupported value: "some": supported values: all, none' },
    { query: "objects=none&steps=none", message: "with objects=none nothing would be left" },
    { query: "since=7", message: "id: Required value: of which recording since is a number" },
    { query: "since=-7&id=a", message: "since: Invalid value: -7" },
    { query: "since=seven&id=a", message: 'strconv.ParseInt: parsing "seven": invalid syntax' }
  ])("refuses $query", async ({ query, message }) => {
    await using world = await openTestServer()
    const { code, json } = await world.request("GET", `${recording}?${query}`)
    expect([code, json.reason]).toEqual([400, "BadRequest"])
    expect(json.message).toContain(message)
  })

  it("refuses other methods than GET", async () => {
    await using world = await openTestServer()
    const { code } = await world.request("POST", recording)
    expect(code).toBe(405)
  })
})
