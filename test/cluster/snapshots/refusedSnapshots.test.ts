import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { InvalidOptions } from "../../../src/options/invalidOptions.ts"
import { makeCluster } from "../../../src/cluster/cluster.ts"
import { openCluster } from "../../../src/cluster/openCluster.ts"
import { readSnapshot, snapshotText } from "../../../src/cluster/snapshots/snapshotText.ts"
import { rollingUpdate } from "../../../machines/strategies/rollingUpdate.ts"
import { deploymentManifest } from "../testCluster.ts"
import { firstCrash } from "../../steering/firstCrash.ts"
import { runScoped } from "./stormyCluster.ts"
import type { AnyActorRef, InspectionEvent } from "xstate"
import type { ClusterOptions } from "../../../src/cluster/clusterOptions.ts"
import type { ClusterService } from "../testCluster.ts"

const failureOf = <A, E extends { readonly message: string }, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.match(effect, { onFailure: ({ message }) => message, onSuccess: () => "nothing is wrong" })

const textOf = (options: ClusterOptions = {}) =>
  runScoped(
    Effect.map(
      Effect.flatMap(makeCluster(options), ({ snapshot }) => snapshot),
      snapshotText
    )
  )

describe("a snapshot is refused", () => {
  const rows: ReadonlyArray<{
    readonly when: string
    readonly reach: (cluster: ClusterService) => Effect.Effect<unknown, unknown>
    readonly message: RegExp
  }> = [
    {
      when: "while a write is slow on its way",
      reach: (cluster) =>
        Effect.andThen(
          cluster.faultInjector.begin({ fault: "writesSlow", of: "deployment", by: "7s" }),
          Effect.andThen(cluster.create(deploymentManifest({ name: "other" })), cluster.advance(3000))
        ),
      message: /^no snapshot can be taken now: a fault delays a write: let the write arrive first$/
    },
    {
      when: "while a refused write waits for its retry",
      reach: (cluster) =>
        Effect.andThen(
          cluster.faultInjector.begin({ fault: "writesRefused", of: "replicaSet", code: 429, for: "1m" }),
          Effect.andThen(cluster.create(deploymentManifest({ name: "other" })), cluster.advance(300))
        ),
      message: /a fault delays a write/
    },
    {
      when: "while a controller waits to observe its own write",
      reach: (cluster) =>
        Effect.andThen(
          cluster.faultInjector.begin({ fault: "watchLate", of: "replicaSet", by: "9s" }),
          Effect.andThen(cluster.create(deploymentManifest({ name: "other" })), cluster.advance(9500))
        ),
      message:
        /a controller waits until it sees its own write, which a fault hides: let it see the write first$/
    },
    {
      when: "while an Effect of the program sleeps",
      reach: (cluster) =>
        Effect.forkChild(cluster.run(Effect.sleep("5 minutes")), { startImmediately: true }),
      message: /an effect that your program runs on the cluster sleeps/
    }
  ]
  it.each(rows)("$when", ({ reach, message }) =>
    runScoped(
      Effect.gen(function* () {
        const cluster = yield* makeCluster()
        yield* cluster.create(deploymentManifest({}))
        yield* cluster.advance(3000)
        yield* reach(cluster)
        expect(yield* failureOf(cluster.snapshot)).toMatch(message)
      })
    )
  )

  it("in the middle of a step", () =>
    runScoped(
      Effect.gen(function* () {
        const cluster = yield* makeCluster()
        const messages: Array<string> = []
        cluster.onChange(() => messages.push(Effect.runSync(failureOf(cluster.snapshot))))
        yield* cluster.create(deploymentManifest({}))
        yield* cluster.advance(0)
        expect(new Set(messages)).toEqual(
          new Set(["no snapshot can be taken now: it was asked for in the middle of a step"])
        )
      })
    ))

  it("until the pending writes have arrived", () =>
    runScoped(
      Effect.gen(function* () {
        const cluster = yield* makeCluster()
        yield* cluster.create(deploymentManifest({}))
        yield* cluster.faultInjector.begin({ fault: "writesSlow", of: "controllers", by: "3s", for: "20s" })
        yield* cluster.faultInjector.begin({ fault: "controllerStopped", controller: "pod", for: "40s" })
        yield* cluster.until(() => Effect.runSync(failureOf(cluster.snapshot)) === "nothing is wrong")
        const fork = yield* makeCluster({ from: yield* cluster.snapshot })
        yield* fork.advance(600_000)
        yield* cluster.advance(600_000)
        expect(snapshotText(yield* fork.snapshot)).toBe(snapshotText(yield* cluster.snapshot))
      })
    ))
})

describe("a snapshot over HTTP", () => {
  it("is a GET, and is refused with the same message", async () => {
    await using cluster = await openCluster()
    const { url, token } = await cluster.serve({ tls: false })
    const ask = (method: string) =>
      fetch(`${url}/charthouse/v1/snapshot`, { method, headers: { authorization: `Bearer ${token}` } })
    expect((await ask("POST")).status).toBe(405)
    await cluster.fault({ fault: "writesSlow", of: "pod", by: "20s" })
    await cluster.create(deploymentManifest({}))
    await cluster.advance("500ms")
    const refused = await ask("GET")
    expect(refused.status).toBe(409)
    expect(await refused.json()).toMatchObject({
      kind: "Status",
      reason: "Conflict",
      message: expect.stringMatching(/^no snapshot can be taken now: a fault delays a write: /)
    })
  })
})

describe("an inspector of a restored cluster", () => {
  it("sees the actors under their names when they are woken", () =>
    runScoped(
      Effect.gen(function* () {
        const original = yield* makeCluster()
        yield* original.create(deploymentManifest({ replicas: 1 }))
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

describe("an invalid snapshot text", () => {
  const rows: ReadonlyArray<{
    readonly why: string
    readonly spoil: (text: string) => string
    readonly message: string
  }> = [
    { why: "it is blank", spoil: () => " \n", message: "it is empty" },
    { why: "it is truncated", spoil: (text) => text.slice(0, text.length >> 1), message: "it is cut off" },
    { why: "it is a manifest", spoil: () => "kind: Pod\n", message: "it is no JSON: " },
    { why: "it is a list", spoil: () => "[1]", message: "it holds no object" },
    {
      why: "it is of another kind",
      spoil: (text) => text.replace('"Snapshot"', '"Scenario"'),
      message: 'its kind is "Scenario", not "Snapshot"'
    },
    {
      why: "it is of a later apiVersion",
      spoil: (text) => text.replace("charthouse.dev/v1", "charthouse.dev/v2"),
      message: 'its apiVersion is "charthouse.dev/v2", not "charthouse.dev/v1"'
    },
    {
      why: "it is of another form",
      spoil: (text) => text.replace('"form": 10', '"form": 0'),
      message: "it was written by another version of charthouse (form 0, here 10)"
    },
    {
      why: "a part is missing",
      spoil: (text) => text.replace('"memories":', '"memory":'),
      message: "it has been changed since it was written"
    },
    {
      why: "the name of an object was changed",
      spoil: (text) => text.replace('"name":"node-2"', '"name":"node-5"'),
      message: "it has been changed since it was written"
    }
  ]
  it.each(rows)("is refused with a sentence: $why", async ({ spoil, message }) => {
    const text = await textOf()
    expect(() => readSnapshot(spoil(text))).toThrow(`not a snapshot that can be read: ${message}`)
  })
})

it("a reformatted snapshot reads as the same snapshot", async () => {
  const text = await textOf()
  const laidOut = JSON.stringify(JSON.parse(text), undefined, 4).replaceAll("\n", "\r\n")
  expect(snapshotText(readSnapshot(laidOut))).toBe(text)
})

describe("a cluster from a snapshot", () => {
  it("is not forked with feature gates, which its type does not have", async () => {
    await using cluster = await openCluster()
    // @ts-expect-error ForkOptions has no feature gates.
    await expect(cluster.fork({ featureGates: {} })).rejects.toThrow(
      "featureGates comes from the snapshot, and cannot be given with it"
    )
  })

  it("refuses nodes and startMillis, which the snapshot gives", async () => {
    const from = readSnapshot(await textOf())
    const wrong = { from, nodes: 5, startMillis: 3 }
    expect(await runScoped(failureOf(makeCluster(wrong)))).toBe(
      "nodes comes from the snapshot, and cannot be given with it; " +
        "startMillis comes from the snapshot, and cannot be given with it"
    )
  })

  it.each([
    {
      why: "the text of a file",
      from: "{}",
      message: "from is a text, and no snapshot: did you mean readSnapshot(text)?"
    },
    {
      why: "an empty object",
      from: {},
      message: "from is no snapshot: cluster.snapshot() gives one, and readSnapshot(text)"
    },
    { why: "null", from: null, message: "from is no snapshot: " }
  ])("is refused when from is no snapshot: $why", async ({ from, message }) => {
    const opened = openCluster({ from: from as never })
    await expect(opened).rejects.toBeInstanceOf(InvalidOptions)
    await expect(opened).rejects.toThrow(message)
  })

  it("needs strategies and livesOf again, which no file can hold", async () => {
    const strategies = [{ ...rollingUpdate, type: "Mine", state: "mine" }]
    const livesOf: NonNullable<ClusterOptions["livesOf"]> = (_pod, drawn) => drawn
    const from = readSnapshot(await textOf({ strategies, livesOf }))
    expect(await runScoped(failureOf(makeCluster({ from })))).toBe(
      'the snapshot needs the strategy "Mine": give it in strategies; the snapshot needs livesOf: give it again'
    )
    expect(await runScoped(failureOf(makeCluster({ from, strategies, livesOf })))).toBe("nothing is wrong")
  })

  it("needs steering charts again, also after it went through another cluster and file", async () => {
    const steering = [firstCrash]
    const first = readSnapshot(await textOf({ steering }))
    const from = readSnapshot(await textOf({ from: first, steering }))
    expect(await runScoped(failureOf(makeCluster({ from })))).toBe(
      'the snapshot needs the steering chart "firstCrash": give it in steering'
    )
    expect(await runScoped(failureOf(makeCluster({ from, steering })))).toBe("nothing is wrong")
  })
})
