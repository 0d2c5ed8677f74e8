import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { templateHashOf } from "../../src/kubernetes/steering/steeringObservation.ts"
import { hashOfPod, isSteeredAs, openSteeredNamespace } from "./steeredNamespace.ts"
import { aManifest, serviceManifest } from "../builders/manifests.ts"
import { imageOf } from "../steering/steeredShop.ts"
import { isApproved } from "../../src/kubernetes/steering/podApproval.ts"
import { openSteerTarget, upstreamKubeconfig } from "./steerTarget.ts"
import type { Pod } from "../../src/kubernetes/meta/objects.ts"
import type { ProxiedRequest, Treatment } from "./faultyProxy.ts"
import type { SteeredNamespace, SteeringProcess } from "./steeredNamespace.ts"
import type { SteerTarget } from "./steerTarget.ts"

/** One suite for a served cluster of this project, and for a real one (`npm run upstream`). */

const canary = (steps: string): string => `canary: { steps: [${steps}] }`
const gated = {
  replicas: 4,
  isGated: true,
  spec: { strategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } } }
}

describe(`steering of ${upstreamKubeconfig === undefined ? "a served cluster" : "a real cluster"}`, () => {
  let target: SteerTarget
  beforeAll(async () => {
    target = await openSteerTarget()
  })
  afterAll(() => target.close())

  const hashOfImage = async ({ name }: SteeredNamespace, image: string): Promise<string> => {
    const { items } = await target.cluster.list("replicasets.apps", { namespace: name })
    const replicaSet = items.find(({ spec }) => spec.template.spec?.containers[0]?.image === image)
    return replicaSet === undefined ? "" : templateHashOf(replicaSet)
  }
  /** A Deployment whose first revision is complete. */
  const openComplete = async (
    strategy: string,
    options: Parameters<SteeredNamespace["create"]>[1] = gated
  ) => {
    const place = await openSteeredNamespace(target)
    const first = await place.steer()
    await place.create(strategy, options)
    await place.until("the first revision is complete", isSteeredAs("Complete", "revision 1 "))
    return Object.assign(place, { first, seen: place.observe() })
  }

  it("rolls a canary out by steps, and waits for its promotion", async () => {
    await using place = await openComplete(canary("{ approve: 1 }, { hold: untilPromoted }, { approve: 2 }"))
    await place.setImage("web:2")
    await place.until("the canary holds", isSteeredAs("Holding"))
    expect(place.seen.approvedMax(await hashOfImage(place, "web:2"))).toBe(1)
    await place.annotate("promote", "")
    const done = await place.until("it is complete", isSteeredAs("Complete", "revision 2 "))
    expect(imageOf(done)).toBe("web:2")
    expect(place.seen.readyMin()).toBe(4)
    expect(place.seen.approvedAgain()).toEqual([])
  })

  // The real cluster runs the controllers of Deployments and ReplicaSets alone.
  it.skipIf(upstreamKubeconfig !== undefined)(
    "runs the Job of a hook, and points a preview at the new revision, before it approves all Pods at once",
    async () => {
      await using place = await openComplete(
        "blueGreen: { preview: next, before: [{ run: smoke }], hooks: { smoke: { job: smoke } } }",
        { ...gated, spec: { strategy: { rollingUpdate: { maxSurge: "100%", maxUnavailable: 0 } } } }
      )
      const inPlace = { namespace: place.name }
      const service = serviceManifest({ publishNotReadyAddresses: true }, "next")
      await target.cluster.create({ ...service, metadata: { ...service.metadata, ...inPlace } })
      const containers = [{ name: "smoke", image: "smoke:1" }]
      await target.cluster.create(
        aManifest(
          "Job",
          { name: "smoke", ...inPlace },
          { spec: { suspend: true, template: { spec: { restartPolicy: "Never", containers } } } }
        )
      )
      await place.setImage("web:2")
      await place.until("it is complete", isSteeredAs("Complete", "revision 2 "))
      const hash = await hashOfImage(place, "web:2")
      const { spec } = await target.cluster.get({ resource: "services", ...inPlace, name: "next" })
      expect(spec.selector).toMatchObject({ "pod-template-hash": hash })
      const { items: jobs } = await target.cluster.list("jobs.batch", inPlace)
      expect(
        jobs.map(({ metadata, status }) => [metadata.labels?.["charthouse.dev/hook"], status.succeeded])
      ).toEqual(expect.arrayContaining([["smoke", 1]]))
      expect(place.seen.readyMin()).toBe(4)
    }
  )

  describe.skipIf(upstreamKubeconfig !== undefined)("without the right to delete Jobs", () => {
    /** The Job of a hook runs and does not end. */
    const openWithJob = async (): Promise<Awaited<ReturnType<typeof openComplete>>> => {
      const place = await openComplete(
        "canary: { steps: [{ run: smoke }, { hold: untilPromoted }], hooks: { smoke: { job: smoke, timeout: 3m } } }"
      )
      const containers = [{ name: "smoke", image: "smoke:hangs" }]
      const job = { spec: { suspend: true, template: { spec: { restartPolicy: "Never", containers } } } }
      await target.cluster.create(aManifest("Job", { name: "smoke", namespace: place.name }, job))
      await place.setImage("web:2")
      await place.until("the hook runs", isSteeredAs("Checking"))
      place.first.proxy.treat(({ method, path }) =>
        method === "DELETE" && path.includes("/jobs/") ? 403 : "forward"
      )
      return place
    }

    /** How often each Event that tells of a Job was written. */
    const hookNotStopped = async (namespace: string): Promise<ReadonlyArray<number | undefined>> => {
      const { items: events } = await target.cluster.list("events", { namespace })
      return events.filter(({ reason }) => reason === "HookNotStopped").map(({ count }) => count)
    }

    it("takes approvals whose connections are lost for no refusal", async () => {
      await using place = await openComplete(canary("{ approve: 1 }, { hold: untilPromoted }"))
      let lostCount = 0
      place.first.proxy.treat(({ isWrite, path }) => {
        if (!isWrite || lostCount === 4 || !/\/pods\/[^/]+\/status/u.test(path)) return "forward"
        lostCount += 1
        return "cutBefore"
      })
      await place.setImage("web:2")
      await place.until("the canary holds", isSteeredAs("Holding"))
      expect(lostCount).toBe(4)
      const { items } = await target.cluster.list("events", { namespace: place.name })
      expect(items.flatMap(({ reason, message }) => (reason === "ApprovalRefused" ? [message] : []))).toEqual(
        []
      )
    })

    it("goes on when a rollout is superseded, and says so once", async () => {
      await using place = await openWithJob()
      for (const revision of [3, 4]) {
        await place.setImage(`web:${revision}`)
        await place.until("its hook runs", isSteeredAs("Checking", `revision ${revision} `))
      }
      await place.first.untilLogged("deleteJobs", "Forbidden")
      expect(await hookNotStopped(place.name)).toEqual([1, 1])
    })

    it("goes on when automaticRollback takes over, and says so once for all its rollouts", async () => {
      await using place = await openWithJob()
      const containers = [{ name: "web", image: "web:3" }]
      await target.cluster.patch(
        { resource: "deployments.apps", name: "web", namespace: place.name },
        {
          metadata: { annotations: { "charthouse.dev/strategy": "automaticRollback" } },
          spec: { template: { spec: { readinessGates: [], containers } } }
        }
      )
      await place.until(
        "the rollout of its first revision is complete",
        isSteeredAs("Complete", "revision 3 ")
      )
      await place.setImage("web:4")
      await place.until("the next rollout is complete", isSteeredAs("Complete", "revision 4 "))
      expect(await hookNotStopped(place.name)).toEqual([1])
    })
  })

  it("takes back a revision whose image cannot be pulled", async () => {
    await using place = await openComplete("automaticRollback: { cannotStart: 1s }", { replicas: 3 })
    await place.setImage("web:bad")
    const back = await place.until("it is taken back", isSteeredAs("RolledBack"))
    expect(imageOf(back)).toBe("web:1")
  })

  it("takes a canary back at its user's word, with all old Pods in place", async () => {
    await using place = await openComplete(canary("{ approve: 1 }, { hold: untilPromoted }"))
    await place.setImage("web:2")
    await place.until("the canary holds", isSteeredAs("Holding"))
    await place.annotate("abort", "too many errors")
    const back = await place.until("it is taken back", isSteeredAs("RolledBack", "too many errors"))
    expect(imageOf(back)).toBe("web:1")
    await place.untilPods("four Pods of the old revision are approved", (pods) => {
      const approved = pods.filter(isApproved)
      return approved.length === 4 && new Set(approved.map(hashOfPod)).size === 1 && pods.length === 4
    })
    expect(place.seen.readyMin()).toBe(4)
  })

  it("approves Pods of the complete revision at once when it is scaled while it holds", async () => {
    await using place = await openComplete(canary("{ approve: 1 }, { hold: untilPromoted }"))
    await place.setImage("web:2")
    await place.until("the canary holds", isSteeredAs("Holding"))
    const old = await hashOfImage(place, "web:1")
    const approvedOld = (count: number) => (pods: ReadonlyArray<Pod>) =>
      pods.filter((it) => isApproved(it) && hashOfPod(it) === old).length === count
    await place.untilPods("one old Pod has gone", approvedOld(3))
    await place.scale(6)
    await place.untilPods("the old Pod that was added is approved", approvedOld(4))
    expect(place.seen.approvedMax(await hashOfImage(place, "web:2"))).toBe(1)
  })

  it("hands over at once when it is stopped, and after the duration of the Lease when it is killed", async () => {
    await using place = await openComplete(canary("{ approve: 1 }, { hold: untilPromoted }"))
    const second = await place.steer()
    await place.setImage("web:2")
    await place.until("the canary holds", isSteeredAs("Holding"))
    expect([place.first.isLeading(), second.isLeading()]).toEqual([true, false])
    await place.first.stop()
    await place.annotate("promote", "all")
    await place.until("the second one completes it", isSteeredAs("Complete", "revision 2 "))
    expect(second.isLeading()).toBe(true)
    await second.kill()
    await place.steer()
    await place.setImage("web:3")
    await place.until("the third one holds", isSteeredAs("Holding"))
    const { items } = await target.cluster.list("leases.coordination.k8s.io", { namespace: place.name })
    const [lease] = items as ReadonlyArray<{ readonly spec?: object }>
    expect(lease?.spec).toMatchObject({ holderIdentity: "process-3", leaseTransitions: 2 })
  })

  it("never approves more than the step allows, also with two leaders, one with a wrong clock", async () => {
    await using place = await openComplete(canary("{ approve: 2 }, { hold: untilPromoted }"))
    await place.steer({ lease: { name: "another" }, aheadMillis: target.isReal ? 3_600_000 : 20_000 })
    await place.setImage("web:2")
    await place.until("the canary holds", isSteeredAs("Holding"))
    const hash = await hashOfImage(place, "web:2")
    expect(place.seen.approvedMax(hash)).toBe(2)
    await place.annotate("promote", "")
    await place.until("it is complete", isSteeredAs("Complete", "revision 2 "))
    expect(place.seen.readyMin()).toBe(4)
    expect(place.seen.approvedAgain()).toEqual([])
  })

  it("writes nothing in shadow mode, and says what it would do", async () => {
    await using place = await openSteeredNamespace(target)
    const shadow = await place.steer({ isShadow: true })
    const writes: Array<string> = []
    shadow.proxy.treat(({ method, path }) => {
      if (method !== "GET") writes.push(`${method} ${path}`)
      return "forward"
    })
    await place.create("automaticRollback: { cannotStart: 1s }", { replicas: 2 })
    await place.until("all Pods are available", ({ status }) => status.availableReplicas === 2)
    await shadow.untilLogged("report", "is complete")
    await place.setImage("web:bad")
    await shadow.untilLogged("undo", "")
    const { metadata } = await place.deployment()
    expect(Object.keys(metadata.annotations ?? {})).not.toContain("charthouse.dev/steering")
    expect(writes).toEqual([])
  })

  describe("completes a canary that is killed at each of its writes", () => {
    /** Returns what came of it. */
    const kill = async (n: number, treatment: Treatment) => {
      await using place = await openComplete(canary("{ approve: 1 }, { hold: 1s }, { approve: 2 }"))
      let writes = 0
      const killed = new Promise<SteeringProcess>((resolve) => {
        place.first.proxy.treat(({ isWrite }: ProxiedRequest) => {
          if (isWrite) writes += 1
          if (writes < n) return "forward"
          // The process is gone before it can hear of it.
          queueMicrotask(() => {
            void place.first.kill()
            resolve(place.first)
          })
          return isWrite ? treatment : "cutBefore"
        })
      })
      await place.setImage("web:2")
      await killed
      await place.steer()
      const done = await place.until("it is complete", isSteeredAs("Complete", "revision 2 "))
      return {
        image: imageOf(done),
        readyMin: place.seen.readyMin(),
        approvedAgain: place.seen.approvedAgain()
      }
    }
    // The record, an approval, a reservation, the next steps; before and after the server does it.
    it.each([
      [1, "cutAfter"],
      [2, "cutBefore"],
      [3, "cutAfter"],
      ...(upstreamKubeconfig === undefined
        ? []
        : ([1, 2, 3, 4, 5, 6, 7, 8, 9] as const).flatMap((n) => [
            [n, "cutBefore"] as const,
            [n, "cutAfter"] as const
          ]))
    ] as const)("number %i: %s", async (n, treatment) => {
      expect(await kill(n, treatment)).toEqual({ image: "web:2", readyMin: 4, approvedAgain: [] })
    })
  })

  it("decides again once a watch is open that had failed, although nothing else happens", async () => {
    await using place = await openComplete(canary("{ approve: 1 }, { hold: untilPromoted }"))
    const { proxy, untilLogged } = place.first
    await place.setImage("web:2")
    await place.until("the canary holds", isSteeredAs("Holding"))
    proxy.treat(({ path }) =>
      path.includes("/replicasets?") && path.includes("watch=") ? "cutBefore" : "forward"
    )
    proxy.cut()
    await untilLogged("watch failed", "replicasets")
    await place.annotate("promote", "")
    await untilLogged("recordSteering", "HeldBack")
    proxy.treat(() => "forward")
    await place.until("it is complete", isSteeredAs("Complete", "revision 2 "))
    expect(place.seen.readyMin()).toBe(4)
  })

  describe("writes nothing while in doubt, and goes on afterwards", () => {
    it.each<readonly [string, Treatment, (request: ProxiedRequest) => boolean]>([
      ["the server cannot be reached", "cutBefore", () => true],
      ["its answers to writes are lost", "cutAfter", ({ isWrite }) => isWrite],
      ["the token has expired", 401, () => true],
      ["it asks to wait", 429, ({ isWrite }) => isWrite],
      ["it never answers", "hang", () => true],
      ["the Lease cannot be renewed", "hang", ({ isLease }) => isLease]
    ])("%s", async (_what, treatment, concerns) => {
      await using place = await openComplete(canary("{ approve: 1 }, { hold: untilPromoted }"))
      const { proxy } = place.first
      await place.setImage("web:2")
      await place.until("the canary holds", isSteeredAs("Holding"))
      proxy.treat((request) => (concerns(request) ? treatment : "forward"))
      if (treatment !== 429) proxy.cut()
      await place.annotate("promote", "")
      // Another one takes over where the first one can no longer renew its Lease.
      await place.steer()
      if (treatment === 429 || treatment === "cutAfter") proxy.treat(() => "forward")
      await place.until("it is complete", isSteeredAs("Complete", "revision 2 "))
      proxy.treat(() => "forward")
      expect(place.seen.readyMin()).toBe(4)
      expect(place.seen.approvedAgain()).toEqual([])
    })
  })
})
