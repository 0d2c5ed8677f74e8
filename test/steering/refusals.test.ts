import { describe, expect, it } from "vitest"
import { openCluster } from "../../src/cluster/openCluster.ts"
import {
  address,
  annotate,
  approvedPods,
  hookJob,
  imageOf,
  setImage,
  shopBehaviours,
  steeredText,
  steeringEvents,
  webDeployment
} from "./steeredShop.ts"
import type { Behaviour } from "../../src/behaviours/behaviour.ts"
import type { OpenCluster } from "../../src/cluster/openCluster.ts"

const openShop = async (strategy: string): Promise<OpenCluster> => {
  const smoke: ReadonlyArray<Behaviour> = [
    { name: "smoke", match: { image: "smoke:1" }, exit: { after: "2s", code: 0 } },
    { name: "long", match: { image: "smoke:long" }, exit: { after: "3m", code: 0 } }
  ]
  const cluster = await openCluster({ seed: 7, behaviours: [...shopBehaviours, ...smoke] })
  await cluster.create(hookJob("smoke:1"))
  await cluster.create(
    webDeployment(strategy, {
      isGated: true,
      spec: {
        progressDeadlineSeconds: 600,
        strategy: { rollingUpdate: { maxSurge: "100%", maxUnavailable: 0 } }
      }
    })
  )
  await cluster.advance("1m")
  return cluster
}

const hooks = "hooks: { smoke: { job: smoke, timeout: 5m } }"
const heldBeforeHook = `canary: { steps: [{ hold: untilPromoted }, { run: smoke }], ${hooks} }`

const eventsOf = async (cluster: OpenCluster, reason: string) =>
  (await steeringEvents(cluster)).filter((text) => text.includes(reason))

/** A Job of a user, with the name that the hook's Job is to have. */
const createForeignJob = async (cluster: OpenCluster): Promise<string> => {
  const { items } = await cluster.list("replicasets.apps")
  const newest = items.find(({ spec }) => spec.template.spec?.containers[0]?.image === "web:2")
  const name = `web-smoke-${newest?.metadata.labels?.["pod-template-hash"] ?? ""}-2-2`
  await cluster.create(hookJob("smoke:hangs", name))
  return name
}

describe("a Job that a hook does not own, but that has the name of its Job", () => {
  it("is told once, with what to do, and the hook runs soon after it is deleted", async () => {
    await using cluster = await openShop(heldBeforeHook)
    await setImage(cluster, "web:2")
    await cluster.advance("20s")
    const name = await createForeignJob(cluster)
    await annotate(cluster, { promote: "" })
    await cluster.advance("2m45s")
    const why = "a Job of this name exists, which ReplicaSet web-"
    expect(await steeredText(cluster)).toMatch(
      new RegExp(
        `^False HookNotStarted: revision 2 \\(web\\) is at step 2 of 2: .*${name} .*${why}.*Delete it`,
        "u"
      )
    )
    expect(await eventsOf(cluster, "HookNotStarted")).toEqual([expect.stringContaining(why)])
    await cluster.delete({ resource: "jobs.batch", name })
    await cluster.advance("30s")
    expect(await approvedPods(cluster)).toEqual({ "web:2": 4 })
  })

  it("is the reason why the rollout is taken back, at the timeout of the hook", async () => {
    await using cluster = await openShop(heldBeforeHook)
    await setImage(cluster, "web:2")
    await cluster.advance("20s")
    await createForeignJob(cluster)
    await annotate(cluster, { promote: "" })
    await cluster.advance("4m50s")
    expect(imageOf(await cluster.get(address))).toBe("web:2")
    await cluster.advance("15s")
    expect(await eventsOf(cluster, "RolledBack")).toEqual([
      expect.stringMatching(/could not be created within 5m: a Job of this name exists, which ReplicaSet/u)
    ])
  })
})

describe("the Job of a hook that was not started", () => {
  /** Its controller ends before it has started the Job, after it has put the step on record. */
  const promoteAndStop = async (cluster: OpenCluster, down: string): Promise<void> => {
    await cluster.fault({ fault: "writesRefused", of: "steering", code: 429, resource: "jobs", times: 5 })
    await annotate(cluster, { promote: "" })
    await cluster.advance("20ms")
    await cluster.fault({ fault: "controllerStopped", controller: "steering", for: down })
    expect(await eventsOf(cluster, "Promoted")).toHaveLength(1)
    await cluster.advance(down)
  }

  it("has its whole timeout after its controller was down for longer", async () => {
    await using cluster = await openShop(heldBeforeHook)
    await setImage(cluster, "web:2")
    await cluster.advance("20s")
    await promoteAndStop(cluster, "20m")
    await cluster.advance("1m")
    expect(await eventsOf(cluster, "RolledBack")).toEqual([])
    expect(await approvedPods(cluster)).toEqual({ "web:2": 4 })
  })

  it("has it after a hold that began before it could start", async () => {
    await using cluster = await openShop(heldBeforeHook)
    await setImage(cluster, "web:2")
    await cluster.advance("20s")
    await createForeignJob(cluster)
    await annotate(cluster, { promote: "" })
    await cluster.advance("1m")
    await annotate(cluster, { hold: "" })
    await cluster.advance("20m")
    await annotate(cluster, { hold: null })
    await cluster.advance("4m")
    expect(imageOf(await cluster.get(address))).toBe("web:2")
    await cluster.advance("2m")
    expect(imageOf(await cluster.get(address))).toBe("web:1")
  })

  it("has it though its controller was down for most of it", async () => {
    await using cluster = await openShop(heldBeforeHook.replace("job: smoke", "job: smoke-long"))
    await cluster.create(hookJob("smoke:long", "smoke-long"))
    await setImage(cluster, "web:2")
    await cluster.advance("20s")
    await promoteAndStop(cluster, "4m")
    await cluster.advance("6m")
    expect(await approvedPods(cluster)).toEqual({ "web:2": 4 })
  })

  it("does not begin anew without end, though each is deleted", async () => {
    await using cluster = await openShop(heldBeforeHook.replace("job: smoke", "job: smoke-hangs"))
    await cluster.create(hookJob("smoke:hangs", "smoke-hangs"))
    await setImage(cluster, "web:2")
    await cluster.advance("20s")
    await annotate(cluster, { promote: "" })
    for (let minutes = 0; minutes < 11; minutes += 1) {
      await cluster.advance("1m")
      for (const { metadata } of (await cluster.list("jobs.batch")).items)
        if (metadata.name.startsWith("web-smoke"))
          await cluster.delete({ resource: "jobs.batch", name: metadata.name })
    }
    expect(imageOf(await cluster.get(address))).toBe("web:1")
  })
})

describe("an approval that was refused once", () => {
  it("takes no time from its step, whose controller was down later", async () => {
    await using cluster = await openShop("canary: { steps: [{ approve: 2 }, { hold: untilPromoted }] }")
    const spec = { minReadySeconds: 60 }
    await cluster.patch({ resource: "deployments.apps", name: "web" }, { spec })
    await cluster.fault({ fault: "writesRefused", of: "steering", code: 500, resource: "pods", times: 2 })
    await setImage(cluster, "web:2")
    await cluster.advance("20s")
    expect(await approvedPods(cluster)).toMatchObject({ "web:2": 2 })
    expect(await eventsOf(cluster, "ApprovalRefused")).toHaveLength(1)
    const { items } = await cluster.list("pods")
    const approved = items.find(
      ({ spec: { containers }, status }) =>
        containers[0]?.image === "web:2" &&
        status.conditions?.some(({ type, status: is }) => type === "charthouse.dev/approved" && is === "True")
    )
    await cluster.fault({ fault: "controllerStopped", controller: "steering", for: "15m" })
    await cluster.delete({ resource: "pods", name: approved?.metadata.name ?? "" })
    await cluster.advance("17m")
    expect(imageOf(await cluster.get(address))).toBe("web:2")
    expect(await approvedPods(cluster)).toMatchObject({ "web:2": 2 })
  })
})

describe("approvals that are refused for good", () => {
  it("put off no deadline though readiness comes and goes, and are the reason that is told", async () => {
    await using cluster = await openShop("canary: { steps: [{ approve: 1 }, { hold: untilPromoted }] }")
    await cluster.fault({
      fault: "writesRefused",
      of: "steering",
      code: 500,
      resource: "pods",
      times: 10_000
    })
    await setImage(cluster, "web:2")
    await cluster.advance("30s")
    await cluster.fault({
      fault: "flap",
      pods: { deployment: "web", revision: "new" },
      ready: "7m",
      unready: "1m"
    })
    await cluster.advance("30m")
    expect(imageOf(await cluster.get(address))).toBe("web:1")
    expect(await eventsOf(cluster, "ApprovalRefused")).toHaveLength(1)
    expect(await eventsOf(cluster, "RolledBack")).toEqual([
      expect.stringMatching(/made no progress within 600 seconds .*: Pod web-\S+ cannot be approved: /u)
    ])
  })
})
