import { describe, expect, it } from "vitest"
import { openCluster } from "../../../src/cluster/openCluster.ts"
import { makeActorHistory } from "../../../src/explain/steps/actorHistory.ts"
import { createActor } from "xstate"
import { replicaSetMachine } from "../../../machines/replicaSet.ts"
import { deploymentManifest } from "../../cluster/testCluster.ts"
import { anImage, patchWeb, stepsOfWeb, withWeb } from "./webCluster.ts"
import type { RecordedActor, RecordedStep } from "../../../src/explain/steps/recordedStep.ts"
import type { OpenOptions } from "../../../src/cluster/openCluster.ts"

/** All changes of a rollout as JSON. */
const bytesOf = async (options: OpenOptions, readsSteps: boolean): Promise<string> => {
  await using cluster = await openCluster({ seed: 5, behaviour: "steady", ...options })
  const lines: Array<string> = []
  cluster.onChange((change) => lines.push(JSON.stringify(change)))
  await cluster.create(deploymentManifest({ replicas: 4 }))
  await cluster.advance("700ms")
  if (readsSteps) await stepsOfWeb(cluster)
  await patchWeb(cluster, anImage("v2"))
  await cluster.fault({ fault: "writesSlow", of: "deployment", by: "300ms", for: "5s" })
  await cluster.fault({ fault: "writesRefused", of: "replicaSet", code: 409, times: 3, for: "5s" })
  await cluster.settle()
  return lines.join("\n")
}

describe("the recorder of steps", () => {
  it("changes no byte of the objects, whether it starts at the beginning or later", async () => {
    const unrecorded = await bytesOf({}, false)
    expect(await bytesOf({ why: true }, false)).toBe(unrecorded)
    expect(await bytesOf({}, true)).toBe(unrecorded)
  })

  it("includes all actors that run when it starts, and their steps from then on", async () => {
    await using cluster = await withWeb({ replicas: 2 }, { why: false })
    expect(await stepsOfWeb(cluster)).toEqual([])
    await patchWeb(cluster, anImage("v2"))
    await cluster.settle()
    const steps = await stepsOfWeb(cluster)
    expect(steps[0]).toMatchObject({
      number: 1,
      from: ["rollout.complete", "progress.complete", "check.ahead", "availability.available"]
    })
    expect(steps.at(-1)?.to).toContain("rollout.complete")
    expect(steps.flatMap(({ writes }) => writes).length).toBeGreaterThan(3)
  })

  it("records no environments, annotations or arguments", async () => {
    const secret = "hunter2-do-not-tell"
    const manifest = {
      replicas: 1,
      container: { env: [{ name: "PASSWORD", value: secret }], args: [`--password=${secret}`] }
    }
    await using cluster = await withWeb(manifest)
    const pods = (await cluster.list("pods")).items
    const replicaSets = (await cluster.list("replicasets.apps")).items
    const all = [
      ...(await stepsOfWeb(cluster)),
      ...(
        await Promise.all(pods.map((it) => cluster.why({ resource: "pods", name: it.metadata.name })))
      ).flat(),
      ...(
        await Promise.all(
          replicaSets.map((it) => cluster.why({ resource: "replicasets.apps", name: it.metadata.name }))
        )
      ).flat()
    ]
    expect(all.length).toBeGreaterThan(10)
    expect(JSON.stringify(all)).not.toContain(secret)
  })

  it("keeps the last fifty steps of an actor, also after its object is deleted", async () => {
    await using cluster = await withWeb({ replicas: 3 })
    for (let version = 2; version < 12; version += 1) {
      await patchWeb(cluster, anImage(`v${version}`))
      await cluster.settle()
    }
    const steps = await stepsOfWeb(cluster)
    expect(steps.length).toBe(50)
    const numbers = steps.map(({ number }) => number)
    expect(numbers).toEqual([...numbers].sort((a, b) => a - b))
    await cluster.delete({ resource: "deployments.apps", name: "web" })
    await cluster.settle()
    expect(await stepsOfWeb(cluster)).toEqual(steps)
  })

  it("does not carry pending causes of a deleted object over to a new one of the same name", async () => {
    await using cluster = await withWeb({ replicas: 3 })
    const [replicaSet] = (await cluster.list("replicasets.apps")).items
    const name = replicaSet?.metadata.name ?? ""
    const steps = () => cluster.why({ resource: "replicasets.apps", name })
    const [first] = await steps()
    await cluster.delete({ resource: "deployments.apps", name: "web" })
    await cluster.settle()
    const { length } = await steps()
    await cluster.create(deploymentManifest({ replicas: 3 }))
    await cluster.settle()
    const second = (await steps())[length]
    expect(second?.because).toEqual({
      ...first?.because,
      resourceVersion: second?.because?.resourceVersion
    })
  })
})

describe("the ledger of steps", () => {
  const ref = createActor(replicaSetMachine)
  const stepOf = (actor: RecordedActor, number: number): RecordedStep => ({
    number,
    atMillis: 0,
    actor,
    event: { type: "observed" },
    before: undefined,
    microsteps: [],
    commands: [],
    because: undefined,
    version: 0,
    writes: [],
    events: [],
    finishedAfterNumber: number
  })
  const numbersAt = (ledger: ReturnType<typeof makeActorHistory>, place: string): ReadonlyArray<number> =>
    ledger.stepsAt(place).map(({ number }) => number)

  it("discards the oldest step of a kind, of whichever actor, and none of another kind", () => {
    const ledger = makeActorHistory({ kindMax: 3, stepsMax: 2 })
    const deployment = ledger.findOrAddActor({ uid: "d", key: "default/web", ref, chart: "deployment" })
    const [one, two] = ["a", "b"].map((uid) =>
      ledger.findOrAddActor({ uid, key: `default/${uid}`, ref, chart: "pod" })
    )
    if (one === undefined || two === undefined) throw new Error("two were met")
    ledger.add(stepOf(deployment, 1))
    ledger.add(stepOf(one, 2))
    ledger.add(stepOf(one, 3))
    ledger.add(stepOf(one, 4))
    ledger.add(stepOf(two, 5))
    expect(numbersAt(ledger, "Pod default/a")).toEqual([3, 4])
    ledger.add(stepOf(two, 6))
    expect(numbersAt(ledger, "Pod default/a")).toEqual([4])
    expect(numbersAt(ledger, "Pod default/b")).toEqual([5, 6])
    expect(numbersAt(ledger, "Deployment default/web")).toEqual([1])
  })

  it("forgets the actors that were deleted first, and lists a later object of the same name after the earlier one", () => {
    const ledger = makeActorHistory({ goneMax: 1 })
    for (const uid of ["a", "b"]) {
      ledger.add(
        stepOf(ledger.findOrAddActor({ uid, key: `default/${uid}`, ref, chart: "pod" }), uid === "a" ? 1 : 2)
      )
      ledger.actorStopped(uid)
    }
    expect([ledger.hasActor("Pod default/a"), ledger.hasActor("Pod default/b")]).toEqual([false, true])
    ledger.add(stepOf(ledger.findOrAddActor({ uid: "b2", key: "default/b", ref, chart: "pod" }), 3))
    expect(numbersAt(ledger, "Pod default/b")).toEqual([2, 3])
    expect(ledger.allLiving().map(({ uid }) => uid)).toEqual(["b2"])
  })

  it("keeps the writer of a version when a much later write changes nothing", () => {
    const ledger = makeActorHistory({})
    const actor = ledger.findOrAddActor({ uid: "rs", key: "default/web-1", ref, chart: "replicaSet" })
    for (let version = 1; version <= 1001; version += 1) ledger.recordWriter("kubectl", String(version))
    const step = stepOf(actor, 1)
    const web = {
      ...deploymentManifest({ name: "web" }),
      metadata: { name: "web", uid: "d", resourceVersion: "5" }
    }
    const write = { verb: "update", resource: "deployments", name: "default/web" } as const
    ledger.recordWrite(actor, [step], write as never, web as never)
    expect(ledger.writerOf("5")).toBe("kubectl")
    expect(step.writes).toMatchObject([{ resourceVersion: "5", changedNothing: true }])
  })
})
