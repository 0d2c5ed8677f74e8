import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { InvalidOptions } from "../../src/options/invalidOptions.ts"
import { makeCluster } from "../../src/cluster/cluster.ts"
import { openCluster } from "../../src/cluster/openCluster.ts"
import { readSnapshot, snapshotText } from "../../src/cluster/snapshots/snapshotText.ts"
import { rollingUpdate } from "../../machines/strategies/rollingUpdate.ts"
import { aManifest } from "../cluster/worlds.ts"
import { run } from "./storms.ts"
import type { AnyActorRef, InspectionEvent } from "xstate"
import type { ClusterOptions } from "../../src/cluster/clusterOptions.ts"
import type { Living } from "../cluster/worlds.ts"

const failureOf = <A, E extends { readonly message: string }, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.match(effect, { onFailure: ({ message }) => message, onSuccess: () => "nothing is wrong" })

const textOf = (options: ClusterOptions = {}) =>
  run(
    Effect.map(
      Effect.flatMap(makeCluster(options), ({ snapshot }) => snapshot),
      snapshotText
    )
  )

describe("no snapshot is taken", () => {
  const rows: ReadonlyArray<{
    readonly when: string
    readonly bring: (cluster: Living) => Effect.Effect<unknown, unknown>
    readonly says: RegExp
  }> = [
    {
      when: "while a write is slow on its way",
      bring: (cluster) =>
        Effect.andThen(
          cluster.faults.begin({ fault: "writesSlow", of: "deployment", by: "7s" }),
          Effect.andThen(cluster.create(aManifest({ name: "other" })), cluster.advance(3000))
        ),
      says: /^no snapshot can be taken now: a write is half way that a fault holds up: let it arrive$/
    },
    {
      when: "while a refused write waits to be asked for again",
      bring: (cluster) =>
        Effect.andThen(
          cluster.faults.begin({ fault: "writesRefused", of: "replicaSet", code: 429, for: "1m" }),
          Effect.andThen(cluster.create(aManifest({ name: "other" })), cluster.advance(300))
        ),
      says: /a write is half way/
    },
    {
      when: "while a controller waits to see what it has written",
      bring: (cluster) =>
        Effect.andThen(
          cluster.faults.begin({ fault: "watchLate", of: "replicaSet", by: "9s" }),
          Effect.andThen(cluster.create(aManifest({ name: "other" })), cluster.advance(9500))
        ),
      says: /a controller waits to see what it has written, which a fault keeps from it: let it be seen$/
    },
    {
      when: "while an effect of one's own sleeps",
      bring: (cluster) =>
        Effect.forkChild(cluster.run(Effect.sleep("5 minutes")), { startImmediately: true }),
      says: /an effect of a program's own sleeps/
    }
  ]
  it.each(rows)("$when", ({ bring, says }) =>
    run(
      Effect.gen(function* () {
        const cluster = yield* makeCluster()
        yield* cluster.create(aManifest({}))
        yield* cluster.advance(3000)
        yield* bring(cluster)
        expect(yield* failureOf(cluster.snapshot)).toMatch(says)
      })
    )
  )

  it("in the middle of a step", () =>
    run(
      Effect.gen(function* () {
        const cluster = yield* makeCluster()
        const said: Array<string> = []
        cluster.onChange(() => said.push(Effect.runSync(failureOf(cluster.snapshot))))
        yield* cluster.create(aManifest({}))
        yield* cluster.advance(0)
        expect(new Set(said)).toEqual(
          new Set(["no snapshot can be taken now: it was asked for in the middle of a step"])
        )
      })
    ))

  it("but one is as soon as what was half way has arrived", () =>
    run(
      Effect.gen(function* () {
        const cluster = yield* makeCluster()
        yield* cluster.create(aManifest({}))
        yield* cluster.faults.begin({ fault: "writesSlow", of: "controllers", by: "3s", for: "20s" })
        yield* cluster.faults.begin({ fault: "controllerStopped", controller: "pod", for: "40s" })
        yield* cluster.until(() => Effect.runSync(failureOf(cluster.snapshot)) === "nothing is wrong")
        const fork = yield* makeCluster({ from: yield* cluster.snapshot })
        yield* fork.advance(600_000)
        yield* cluster.advance(600_000)
        expect(snapshotText(yield* fork.snapshot)).toBe(snapshotText(yield* cluster.snapshot))
      })
    ))
})

describe("a snapshot over HTTP", () => {
  it("is only asked for, and refused with the same words", async () => {
    await using cluster = await openCluster()
    const { url, token } = await cluster.serve({ tls: false })
    const ask = (method: string) =>
      fetch(`${url}/charthouse/v1/snapshot`, { method, headers: { authorization: `Bearer ${token}` } })
    expect((await ask("POST")).status).toBe(405)
    await cluster.fault({ fault: "writesSlow", of: "pod", by: "20s" })
    await cluster.create(aManifest({}))
    await cluster.advance("500ms")
    const refused = await ask("GET")
    expect(refused.status).toBe(409)
    expect(await refused.json()).toMatchObject({
      kind: "Status",
      reason: "Conflict",
      message: expect.stringMatching(
        /^no snapshot can be taken now: a write is half way that a fault holds up: /
      )
    })
  })
})

describe("an inspector of a cluster that goes on", () => {
  it("meets the actors under their names when something wakes them", () =>
    run(
      Effect.gen(function* () {
        const original = yield* makeCluster()
        yield* original.create(aManifest({ replicas: 1 }))
        yield* original.advance(60_000)
        const names = new Set<string>()
        const from = yield* original.snapshot
        // Every actor here is an XState actor, and has a name.
        const inspect = ({ actorRef }: InspectionEvent) => names.add((actorRef as AnyActorRef).id)
        const fork = yield* makeCluster({ from, inspect })
        expect([...names]).toEqual([])
        yield* fork.advance(600_000)
        expect([...names]).toEqual(["node/node-1", "node/node-2", "node/node-3", "deployment/default/web"])
      })
    ))
})

describe("a text that is no snapshot", () => {
  const rows: ReadonlyArray<{
    readonly why: string
    readonly spoil: (text: string) => string
    readonly says: string
  }> = [
    { why: "nothing is in it", spoil: () => " \n", says: "it is empty" },
    { why: "the disk was full", spoil: (text) => text.slice(0, text.length >> 1), says: "it is cut off" },
    { why: "it is a manifest", spoil: () => "kind: Pod\n", says: "it is no JSON: " },
    { why: "it is a list", spoil: () => "[1]", says: "it holds no object" },
    {
      why: "it is another document of ours",
      spoil: (text) => text.replace('"Snapshot"', '"Scenario"'),
      says: 'its kind is "Scenario", not "Snapshot"'
    },
    {
      why: "it comes from the future",
      spoil: (text) => text.replace("charthouse.dev/v1", "charthouse.dev/v2"),
      says: 'its apiVersion is "charthouse.dev/v2", not "charthouse.dev/v1"'
    },
    {
      why: "the charts have changed since",
      spoil: (text) => text.replace('"form": 5', '"form": 0'),
      says: "it was written by another version of charthouse (form 0, here 5)"
    },
    {
      why: "a part is missing",
      spoil: (text) => text.replace('"memories":', '"memory":'),
      says: "it has been changed since it was written"
    },
    {
      why: "somebody has given an object another name",
      spoil: (text) => text.replace('"name":"node-2"', '"name":"node-5"'),
      says: "it has been changed since it was written"
    }
  ]
  it.each(rows)("is refused with a sentence: $why", async ({ spoil, says }) => {
    const text = await textOf()
    expect(() => readSnapshot(spoil(text))).toThrow(`not a snapshot that can be read: ${says}`)
  })
})

it("a snapshot that was laid out anew is still the same", async () => {
  const text = await textOf()
  const laidOut = JSON.stringify(JSON.parse(text), undefined, 4).replaceAll("\n", "\r\n")
  expect(snapshotText(readSnapshot(laidOut))).toBe(text)
})

describe("a cluster from a snapshot", () => {
  it("has the nodes and the time that the snapshot has", async () => {
    const from = readSnapshot(await textOf())
    const wrong = { from, nodes: 5, startMillis: 3 }
    expect(await run(failureOf(makeCluster(wrong)))).toBe(
      "nodes is what the snapshot says, and cannot be given with it; " +
        "startMillis is what the snapshot says, and cannot be given with it"
    )
  })

  it.each([
    {
      why: "it was read from a file",
      from: "{}",
      says: "from is a text, and no snapshot: did you mean readSnapshot(text)?"
    },
    {
      why: "anything",
      from: {},
      says: "from is no snapshot: cluster.snapshot() gives one, and readSnapshot(text)"
    },
    { why: "nothing", from: null, says: "from is no snapshot: " }
  ])("is none where that is no snapshot: $why", async ({ from, says }) => {
    const opened = openCluster({ from: from as never })
    await expect(opened).rejects.toBeInstanceOf(InvalidOptions)
    await expect(opened).rejects.toThrow(says)
  })

  it("needs what no file can hold once more", async () => {
    const strategies = [{ ...rollingUpdate, type: "Mine", state: "mine" }]
    const livesOf: NonNullable<ClusterOptions["livesOf"]> = (_pod, drawn) => drawn
    const from = readSnapshot(await textOf({ strategies, livesOf }))
    expect(await run(failureOf(makeCluster({ from })))).toBe(
      'the snapshot needs the strategy "Mine": give it in strategies; the snapshot needs livesOf: give it again'
    )
    expect(await run(failureOf(makeCluster({ from, strategies, livesOf })))).toBe("nothing is wrong")
  })
})
