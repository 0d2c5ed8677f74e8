import { steeringRequests } from "../../src/kubernetes/steering/steeringRequests.ts"
import { describe, expect, it } from "vitest"
import {
  address,
  annotate,
  approvedPods,
  imageOf,
  openSteeredShop,
  setImage,
  steeredText,
  steeringEvents
} from "./steeredShop.ts"

const gated = (options: { readonly replicas?: number; readonly spec?: object } = {}) => ({
  ...options,
  isGated: true,
  spec: { strategy: { rollingUpdate: { maxSurge: 2, maxUnavailable: 0 } }, ...options.spec }
})

const inSteps = "canary: { steps: [{ approve: 1 }, { hold: 5m }, { approve: 50% }, { hold: untilPromoted }] }"

describe("canary", () => {
  it("approves the first revision at once", async () => {
    await using cluster = await openSteeredShop(inSteps, gated())
    expect(await steeredText(cluster)).toBe("True Complete: revision 1 (web) is complete")
    expect(await approvedPods(cluster)).toEqual({ "web:1": 4 })
  })

  it("takes its steps, and lets one old Pod go for each approval", async () => {
    await using cluster = await openSteeredShop(inSteps, gated())
    await setImage(cluster, "web:2")
    await cluster.advance("1m")
    expect(await approvedPods(cluster)).toEqual({ "web:1": 3, "web:2": 1 })
    expect((await cluster.get(address)).status).toMatchObject({ availableReplicas: 4, replicas: 6 })
    expect(await steeredText(cluster)).toMatch(
      /^True Holding: revision 2 \(web\) is at step 2 of 4: holds until \S+Z\. To go on: kubectl annotate/u
    )
    await cluster.advance("6m")
    expect(await approvedPods(cluster)).toEqual({ "web:1": 2, "web:2": 2 })
    await cluster.advance("30m")
    expect(await approvedPods(cluster)).toEqual({ "web:1": 2, "web:2": 2 })
    expect(await steeredText(cluster)).toContain("is at step 4 of 4: holds until it is promoted.")
    await annotate(cluster, { promote: "" })
    await cluster.advance("1m")
    expect(await approvedPods(cluster)).toEqual({ "web:2": 4 })
    expect(await steeredText(cluster)).toBe("True Complete: revision 2 (web) is complete")
    expect((await steeringEvents(cluster)).map((it) => it.split(":", 1)[0])).toEqual([
      "Normal StepCompleted",
      "Normal StepCompleted",
      "Normal StepCompleted",
      "Normal Promoted"
    ])
  })

  it("is complete once more after kubectl rollout undo, which brings back the annotations of the ReplicaSet", async () => {
    await using cluster = await openSteeredShop(inSteps, gated())
    const [first] = (await cluster.list("replicasets.apps")).items
    const completed = first?.metadata.annotations?.["charthouse.dev/completed"]
    await setImage(cluster, "web:2")
    await cluster.advance("1m")
    await cluster.patch(address, {
      metadata: { annotations: { "charthouse.dev/completed": completed ?? "" } },
      spec: { template: { spec: { containers: [{ name: "web", image: "web:1" }] } } }
    })
    await cluster.advance("1m")
    expect(await steeredText(cluster)).toBe("True Complete: revision 3 (web) is complete")
    expect((await cluster.get(address)).metadata.annotations).not.toHaveProperty("charthouse.dev/completed")
  })

  it("approves Pods that are added or replaced while it holds, of the complete revision only", async () => {
    await using cluster = await openSteeredShop(inSteps, gated())
    await setImage(cluster, "web:2")
    await cluster.advance("1m")
    await cluster.patch(address, { spec: { replicas: 8 } })
    await cluster.advance("1m")
    const { status } = await cluster.get(address)
    const { "web:1": old = 0, "web:2": canaries } = await approvedPods(cluster)
    expect(canaries).toBe(1)
    expect(status.availableReplicas).toBe(old + 1)
  })

  it.each([
    { image: "web:missing", why: '2 new Pods could not start container "web"' },
    { image: "web:crash", why: "containers of new Pods restarted 4 times, 3 are allowed" },
    {
      image: "web:hangs",
      why:
        "it made no progress within 600 seconds (progressDeadlineSeconds): " +
        '2 new Pods are not ready: container "web" runs and is not ready'
    }
  ])("takes $image back without an old Pod lost", async ({ image, why }) => {
    await using cluster = await openSteeredShop(inSteps, gated())
    const before = (await cluster.list("pods")).items.map(({ metadata }) => metadata.uid).sort()
    await setImage(cluster, image)
    await cluster.advance("15m")
    expect(imageOf(await cluster.get(address))).toBe("web:1")
    expect((await cluster.list("pods")).items.map(({ metadata }) => metadata.uid).sort()).toEqual(before)
    expect(await steeringEvents(cluster)).toEqual([
      expect.stringContaining(
        `Warning RolledBack: Went back from revision 2 (web) to revision 1 (web): ${why}`
      )
    ])
  })

  it("goes back at the deadline from a crash loop whose restarts it allows", async () => {
    await using cluster = await openSteeredShop(inSteps.replace("steps", "restarts: 1000, steps"), gated())
    await setImage(cluster, "web:crash")
    await cluster.advance("12m")
    expect(imageOf(await cluster.get(address))).toBe("web:1")
    expect((await steeringEvents(cluster)).at(-1)).toContain("it made no progress within 600 seconds")
  })

  it("gives each Pod of a step the whole deadline, though it starts late", async () => {
    await using cluster = await openSteeredShop("canary: { steps: [{ approve: 100% }] }", gated())
    await setImage(cluster, "web:slow")
    await cluster.advance("14m")
    expect(await approvedPods(cluster)).toEqual({ "web:1": 2, "web:slow": 2 })
    await cluster.advance("15m")
    expect(await approvedPods(cluster)).toEqual({ "web:slow": 4 })
  })

  it("says why no Pod could be created when it goes back at the deadline", async () => {
    await using cluster = await openSteeredShop(inSteps, gated())
    await cluster.fault({ fault: "quotaExhausted" })
    await setImage(cluster, "web:2")
    await cluster.advance("15m")
    expect((await steeringEvents(cluster)).at(-1)).toMatch(
      /it made no progress within 600 seconds \(progressDeadlineSeconds\): pods \S+ is forbidden: exceeded quota/u
    )
  })

  it("says why its Pods found no node when it goes back at the deadline", async () => {
    await using cluster = await openSteeredShop(inSteps, gated())
    const container = { name: "web", image: "web:2", resources: { requests: { cpu: "1000" } } }
    await cluster.patch(address, { spec: { template: { spec: { containers: [container] } } } })
    await cluster.advance("15m")
    expect((await steeringEvents(cluster)).at(-1)).toMatch(
      /\(progressDeadlineSeconds\): 2 new Pods are not ready: FailedScheduling: 0\/\d+ nodes are available: .*Insufficient cpu/u
    )
  })

  it("names the way back after a second abort", async () => {
    await using cluster = await openSteeredShop(inSteps, gated())
    for (const abort of ["dbDown", "dbDownAgain"]) {
      await setImage(cluster, "web:2")
      await cluster.advance("1m")
      await annotate(cluster, { abort })
      await cluster.advance("1m")
    }
    expect(await steeredText(cluster)).toContain(
      "its user aborted it: dbDownAgain. It was taken back once and applied again. Go back with kubectl rollout undo, "
    )
    await annotate(cluster, { promote: "all" })
    await cluster.advance("1s")
    expect((await steeringEvents(cluster)).at(-1)).toBe(
      "Warning RequestDismissed: revision 4 (web) was given up: there is nothing to promote or to abort"
    )
  })

  it("follows a promotion to the end that came during its user's hold after it, and says so", async () => {
    await using cluster = await openSteeredShop(inSteps, gated())
    await annotate(cluster, { hold: "" })
    await setImage(cluster, "web:2")
    await cluster.advance("1m")
    await annotate(cluster, { promote: "all" })
    await cluster.advance("1m")
    expect(await approvedPods(cluster)).toEqual({ "web:1": 4 })
    expect(await steeredText(cluster)).toContain(
      ", and is held, with a promotion that is followed then. To go on: "
    )
    await annotate(cluster, { hold: null })
    await cluster.advance("1m")
    expect(await approvedPods(cluster)).toEqual({ "web:2": 4 })
  })

  it("is aborted by its user, who says why", async () => {
    await using cluster = await openSteeredShop(inSteps, gated())
    await setImage(cluster, "web:2")
    await cluster.advance("1m")
    await annotate(cluster, { abort: "too many errors" })
    await cluster.advance("1m")
    const { metadata, status } = await cluster.get(address)
    expect(await approvedPods(cluster)).toEqual({ "web:1": 4 })
    expect(status).toMatchObject({ updatedReplicas: 4, availableReplicas: 4 })
    expect(metadata.annotations).not.toHaveProperty("charthouse.dev/abort")
    expect(await steeredText(cluster)).toContain("its user aborted it: too many errors")
  })

  it("says that Pods stay when it is aborted while it is paused", async () => {
    await using cluster = await openSteeredShop(inSteps, gated())
    await setImage(cluster, "web:2")
    await cluster.advance("1m")
    await cluster.patch(address, { spec: { paused: true } })
    await annotate(cluster, { abort: "too slow" })
    await cluster.advance("1m")
    const rolledBack =
      "False RolledBack: revision 3 (web) is what the rollout went back to: its user aborted it: too slow"
    expect(await steeredText(cluster)).toBe(
      `${rolledBack}. It is paused, and its Pods stay: kubectl rollout resume deployment/web`
    )
    expect(await approvedPods(cluster)).toEqual({ "web:1": 3, "web:2": 1 })
    await cluster.patch(address, { spec: { paused: false } })
    await cluster.advance("1m")
    expect(await approvedPods(cluster)).toEqual({ "web:1": 4 })
    expect(await steeredText(cluster)).toBe(rolledBack)
  })

  it("approves nothing more where Git keeps the template", async () => {
    await using cluster = await openSteeredShop(inSteps.replace("steps", "onFailure: hold, steps"), gated())
    await setImage(cluster, "web:2")
    await cluster.advance("1m")
    await annotate(cluster, { abort: "" })
    await cluster.advance("1h")
    expect(await approvedPods(cluster)).toEqual({ "web:1": 3, "web:2": 1 })
    expect(await steeredText(cluster)).toMatch(
      /^False Held: revision 2 \(web\) failed and is not taken back/u
    )
  })

  it("takes no step while its user holds it, and counts no time", async () => {
    await using cluster = await openSteeredShop(inSteps, gated())
    await annotate(cluster, { hold: "" })
    await setImage(cluster, "web:2")
    await cluster.advance("1h")
    expect(await approvedPods(cluster)).toEqual({ "web:1": 4 })
    expect(await steeredText(cluster)).toContain(
      "True HeldByUser: revision 2 (web) is at step 1 of 4: approves 1 Pod, and is held."
    )
    await annotate(cluster, { hold: null })
    await cluster.advance("1m")
    expect(await approvedPods(cluster)).toEqual({ "web:1": 3, "web:2": 1 })
  })

  it.each([
    { asked: { promote: "" }, says: "revision 1 (web) is complete" },
    { asked: { abort: "now" }, says: "revision 1 (web) is complete" }
  ])("dismisses $asked when nothing is rolled out", async ({ asked, says }) => {
    await using cluster = await openSteeredShop(inSteps, gated())
    await annotate(cluster, asked)
    await cluster.advance("1m")
    expect(await steeringEvents(cluster)).toEqual([expect.stringContaining(says)])
    expect(Object.keys((await cluster.get(address)).metadata.annotations ?? {})).not.toContain(
      `charthouse.dev/${Object.keys(asked)[0]}`
    )
  })

  it("goes back once for two requests to abort", async () => {
    await using cluster = await openSteeredShop(inSteps, gated())
    await setImage(cluster, "web:2")
    await cluster.advance("1m")
    await annotate(cluster, { abort: "too slow" })
    await cluster.advance("200ms")
    await annotate(cluster, { abort: "too slow" })
    await cluster.advance("1m")
    expect((await steeringEvents(cluster)).slice(-2)).toEqual([
      "Warning RolledBack: Went back from revision 2 (web) to revision 1 (web): its user aborted it: too slow",
      "Warning RequestDismissed: revision 3 (web) is what the rollout goes back to: there is nothing to promote or to abort"
    ])
    expect(await approvedPods(cluster)).toEqual({ "web:1": 4 })
  })

  it("says who opens the gate when its annotation is removed without it", async () => {
    await using cluster = await openSteeredShop(inSteps, gated())
    await annotate(cluster, { strategy: null })
    await cluster.advance("1m")
    expect(await steeredText(cluster)).toBe("none")
    expect(await steeringEvents(cluster)).toEqual([
      "Warning NotSteered: nothing approves Pods with the readiness gate charthouse.dev/approved: remove it from " +
        "spec.template.spec, or set the annotation charthouse.dev/strategy"
    ])
  })

  it("begins anew with a record that cannot be read", async () => {
    await using cluster = await openSteeredShop(inSteps, gated())
    await setImage(cluster, "web:2")
    await cluster.advance("1m")
    const { metadata } = await cluster.get(address)
    const record = JSON.parse(metadata.annotations?.["charthouse.dev/steering"] ?? "") as object
    await annotate(cluster, { steering: JSON.stringify({ ...record, since: "yesterday" }) })
    await cluster.advance("1m")
    expect(await approvedPods(cluster)).toEqual({ "web:1": 3, "web:2": 1 })
    expect(await steeredText(cluster)).toContain("is at step 2 of 4: holds until 2026-01-01T00:07:00Z")
  })

  it("promotes to the end at any time with the value all", async () => {
    await using cluster = await openSteeredShop(inSteps, gated())
    await setImage(cluster, "web:2")
    await annotate(cluster, { promote: "all" })
    await cluster.advance("1m")
    expect(await approvedPods(cluster)).toEqual({ "web:2": 4 })
  })

  it("follows one promotion to the end, and says of another one that no step is left", async () => {
    await using cluster = await openSteeredShop(inSteps, gated())
    await setImage(cluster, "web:hangs")
    await cluster.advance("10s")
    for (const _time of [1, 2]) {
      await annotate(cluster, { promote: "all" })
      await cluster.advance("10s")
    }
    expect(await steeringEvents(cluster)).toEqual([
      "Normal Promoted: revision 2 (web) was promoted at step 1 of 4: all its Pods are approved",
      "Warning RequestDismissed: revision 2 (web) approves all its Pods already: there is nothing to promote"
    ])
    expect(steeringRequests(await cluster.get(address)).map(({ id }) => id)).toEqual(["hold", "abort"])
  })

  it.each([1, 3, 6])("goes on after its controller was restarted, %i times in all", async (times) => {
    await using cluster = await openSteeredShop(inSteps, gated())
    await setImage(cluster, "web:2")
    for (let restart = 0; restart < times; restart += 1) {
      await cluster.advance("1s")
      await cluster.fault({ fault: "controllerRestarted", controller: "steering" })
    }
    await cluster.advance("1m")
    expect(await approvedPods(cluster)).toEqual({ "web:1": 3, "web:2": 1 })
  })

  it("never has more approved Pods than its step allows, though approved ones are lost", async () => {
    await using cluster = await openSteeredShop(inSteps.replace("5m", "untilPromoted"), gated())
    await setImage(cluster, "web:2")
    for (let loss = 0; loss < 5; loss += 1) {
      await cluster.advance("20s")
      const { items } = await cluster.list("pods")
      const canaryPod = items.find(
        ({ spec, status }) =>
          spec.containers[0]?.image === "web:2" &&
          status.conditions?.some(
            ({ type, status: it }) => type === "charthouse.dev/approved" && it === "True"
          )
      )
      await cluster.delete({ resource: "pods", name: canaryPod?.metadata.name ?? "" })
      await cluster.settle()
      expect((await approvedPods(cluster))["web:2"] ?? 0).toBeLessThanOrEqual(1)
    }
  })

  it("touches nothing without a gate, and says which line to add", async () => {
    await using cluster = await openSteeredShop(inSteps, { spec: gated().spec })
    expect(await steeredText(cluster)).toContain(
      'Add "readinessGates: [{ conditionType: charthouse.dev/approved }]"; automaticRollback needs none'
    )
    expect((await cluster.get(address)).metadata.annotations).not.toHaveProperty("charthouse.dev/steering")
  })
})
