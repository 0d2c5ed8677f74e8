import { describe, expect, it } from "vitest"
import {
  containerSpecOf,
  containerPlan,
  isContainerDone,
  initContainerRole
} from "../../../src/kubernetes/pods/containers/containers.ts"
import { runEnd, containerStop } from "../../../src/kubernetes/pods/containers/containerRuns.ts"
import { probeTiming } from "../../../src/kubernetes/pods/containers/probes.ts"
import { aPod } from "../../builders.ts"
import { anInit, someFacts, someLife, somePodLife, withCode } from "../someContainers.ts"
import type { ContainerRole } from "../../../src/kubernetes/pods/containers/containers.ts"
import type { ContainerLife, PodLife } from "../../../src/kubernetes/pods/podLife.ts"

type Container = Parameters<typeof containerPlan>[0]

const planOf = (options: {
  readonly role?: ContainerRole
  readonly container?: Omit<Container, "name">
  readonly spec?: { readonly restartPolicy?: string; readonly terminationGracePeriodSeconds?: number }
  readonly life?: PodLife
}) =>
  containerPlan(
    { name: "app", image: "web:v1", ...options.container },
    { role: options.role ?? "app", spec: options.spec ?? {}, life: options.life ?? somePodLife() }
  )

describe("whether a container is started again is asked of the policy", () => {
  it.each<{ role: ContainerRole; policy: string | undefined; own: string; why: string }>([
    { role: "app", policy: undefined, own: "Always", why: "what is not said" },
    { role: "app", policy: "Never", own: "Never", why: "its Pod's" },
    { role: "app", policy: "OnFailure", own: "OnFailure", why: "its Pod's" },
    { role: "sidecar", policy: "Never", own: "Always", why: "a sidecar has its own" },
    { role: "init", policy: "Always", own: "OnFailure", why: "one that has done its work is done" },
    { role: "init", policy: "Never", own: "Never", why: "one that fails here fails its Pod" }
  ])("$own for one for $role in a Pod that says $policy: $why", ({ role, policy, own }) => {
    const spec = policy === undefined ? {} : { restartPolicy: policy }
    expect(planOf({ role, spec }).restartPolicy).toBe(own)
  })

  it.each([
    { restartPolicy: "Always", role: "sidecar" },
    { restartPolicy: "OnFailure", role: "init" },
    { restartPolicy: undefined, role: "init" }
  ])("one for init that says $restartPolicy is a $role", ({ restartPolicy, role }) => {
    expect(initContainerRole({ name: "it", ...(restartPolicy === undefined ? {} : { restartPolicy }) })).toBe(
      role
    )
  })

  it.each([
    { facts: someFacts("running", withCode(0)), policy: "Never", done: false, why: "it runs" },
    { facts: someFacts("crashBackOff", withCode(0)), policy: "OnFailure", done: false, why: "it waits" },
    { facts: someFacts("terminated", withCode(0)), policy: "Always", done: false, why: "it is begun again" },
    { facts: someFacts("terminated", withCode(0)), policy: "OnFailure", done: true, why: "all went well" },
    { facts: someFacts("terminated", withCode(1)), policy: "OnFailure", done: false, why: "it did not" },
    { facts: someFacts("terminated", withCode(1)), policy: "Never", done: true, why: "no matter how" },
    { facts: anInit("terminated", withCode(0)), policy: "Always", done: true, why: "its work is done" }
  ])("a $facts.role that is $facts.doing is done: $done under $policy: $why", ({ facts, policy, done }) => {
    expect(isContainerDone(facts, policy)).toBe(done)
  })
})

describe("what a container is given to stop", () => {
  it("is what its Pod says, 30 s where it says nothing", () => {
    expect(planOf({ spec: { terminationGracePeriodSeconds: 7 } }).graceMillis).toBe(7_000)
    expect(planOf({}).graceMillis).toBe(30_000)
  })

  it.each([
    { lifecycle: { preStop: { sleep: { seconds: 3 } } }, hook: 3_000, why: "a sleep takes its time" },
    { lifecycle: { preStop: { exec: { command: ["x"] } } }, hook: 0, why: "a command is done at once" },
    {
      lifecycle: { preStop: { exec: { command: ["sleep", "10"] } } },
      hook: 10_000,
      why: "but not one that sleeps"
    },
    {
      lifecycle: { preStop: { exec: { command: ["/bin/sleep", "2.5s"] } } },
      hook: 2_500,
      why: "wherever that is found"
    },
    {
      lifecycle: { preStop: { exec: { command: ["sh", "-c", "sleep 5; nginx -s quit; sleep 2"] } } },
      hook: 7_000,
      why: "also in a shell, one after another"
    },
    {
      lifecycle: { preStop: { exec: { command: ["/bin/bash", "-ec", "exec sleep 4"] } } },
      hook: 4_000,
      why: "whichever shell"
    },
    {
      lifecycle: { preStop: { exec: { command: ["sh", "-c", "echo sleep 9"] } } },
      hook: 0,
      why: "and not where it only speaks of it"
    },
    {
      lifecycle: { preStop: { exec: { command: ["sleep", "a while"] } } },
      hook: 0,
      why: "or not for how long"
    },
    { lifecycle: { postStart: { exec: { command: ["x"] } } }, hook: 0, why: "there is none" },
    { lifecycle: {}, hook: 0, why: "there is nothing" }
  ])("is held up by its hook for $hook ms: $why", ({ lifecycle, hook }) => {
    expect(planOf({ container: { lifecycle } }).hookMillis).toBe(hook)
  })

  it.each([
    { answer: 700, hook: 0, grace: 30, wait: undefined, within: 700, killed: false, why: "it obeys" },
    { answer: 700, hook: 3, grace: 30, wait: undefined, within: 3_700, killed: false, why: "after its hook" },
    { answer: 700, hook: 3, grace: 30, wait: 9_000, within: 9_700, killed: false, why: "after the others" },
    { answer: 7_000, hook: 0, grace: 7, wait: 0, within: 7_000, killed: false, why: "just in time" },
    { answer: 7_001, hook: 0, grace: 7, wait: 0, within: 7_000, killed: true, why: "just too late" },
    { answer: 15_000, hook: 20, grace: 30, wait: 0, within: 30_000, killed: true, why: "hook and all" },
    { answer: 5_000, hook: 0, grace: 1, wait: 0, within: 2_000, killed: true, why: "two seconds at least" },
    { answer: 5_000, hook: 40, grace: 30, wait: 0, within: 32_000, killed: true, why: "even after the grace" }
  ])("$within ms, killed: $killed: $why", ({ answer, hook, grace, wait, within, killed }) => {
    const timing = { answerMillis: answer, hookMillis: hook * 1000, graceMillis: grace * 1000 }
    expect(containerStop(timing, wait)).toEqual({ withinMillis: within, isKilled: killed })
  })
})

describe("how a container lives", () => {
  const crashing: ContainerLife = someLife({
    pullFailures: 2,
    startMillis: 300,
    exit: { afterMillis: 4_000, code: 3, reason: "Error", times: 2 },
    hangMillis: 9
  })
  const life = somePodLife(crashing)

  it("is as its behaviour says of its name, else as it says of the others", () => {
    const own = someLife({ readyMillis: 13 })
    expect(planOf({ life: { ...life, containers: { app: own } } }).life).toEqual(own)
    expect(planOf({ life: { ...life, containers: { other: own } } }).life).toEqual(crashing)
  })

  it.each<{ role: ContainerRole }>([{ role: "init" }, { role: "sidecar" }])(
    "is without faults for one for init that is not named ($role), with all delays",
    ({ role }) => {
      expect(planOf({ role, life }).life).toEqual(someLife({ startMillis: 300 }))
    }
  )

  it("is shared by the Pods of one template and one behaviour: there may be thousands", () => {
    const container = { name: "app", image: "web:v1", readinessProbe: {} }
    const options = { role: "init", spec: {}, life } as const
    const [first, second] = [containerPlan(container, options), containerPlan(container, options)]
    expect(second.readiness).toBe(first.readiness)
    expect(second.life).toBe(first.life)
  })
})

describe("a container is found by its name", () => {
  const [web, log, setup] = [{ name: "web" }, { name: "log" }, { name: "setup" }] as const
  const { spec } = aPod({ spec: { containers: [web, log], initContainers: [setup] } })

  it("among those of its kind", () => {
    expect(containerSpecOf(spec, someFacts("running", { name: "log" }))).toBe(log)
    expect(containerSpecOf(spec, anInit("running"))).toBe(setup)
    expect(containerSpecOf(spec, anInit("running", { name: "web" }))).toBeUndefined()
    expect(containerSpecOf(aPod().spec, anInit("running"))).toBeUndefined()
  })
})

describe("how a run ends", () => {
  const completed = { because: "exited", afterMillis: 0, stopMillis: 0, code: 0, reason: "Completed" }
  const exit = { afterMillis: 4_000, code: 3, reason: "OOMKilled", times: 2 }

  it("for one for init at once and well, where nothing else is said", () => {
    expect(runEnd(planOf({ role: "init" }), 0)).toEqual(completed)
    expect(runEnd(planOf({ role: "sidecar" }), 0)).toBeUndefined()
  })

  it("for one for init as its behaviour says, and well after that", () => {
    const plan = planOf({ role: "init", life: somePodLife({}, { containers: { app: someLife({ exit }) } }) })
    expect(runEnd(plan, 1)).toEqual({
      because: "exited",
      afterMillis: 4_000,
      stopMillis: 0,
      code: 3,
      reason: "OOMKilled"
    })
    expect(runEnd(plan, 2)).toEqual(completed)
  })

  it.each([
    { why: "one that never hangs lasts", life: {}, container: { livenessProbe: {} }, end: undefined },
    {
      why: "the exit comes before the verdict",
      life: { exit, hangMillis: 0 },
      container: { livenessProbe: {} },
      end: "exited"
    },
    {
      why: "at the same moment it is the application's own",
      life: { exit, readyMillis: 9_000 },
      container: { startupProbe: { periodSeconds: 2 } },
      end: "exited"
    }
  ])("$end: $why", ({ life, container, end }) => {
    expect(runEnd(planOf({ container, life: somePodLife(life) }), 0)?.because).toBe(end)
  })

  it.each([
    { grace: undefined, answer: 700, stop: 700, code: 143, why: "the signal is enough" },
    { grace: undefined, answer: 31_000, stop: 30_000, code: 137, why: "its Pod's grace is over" },
    { grace: 5, answer: 31_000, stop: 5_000, code: 137, why: "the probe gives it less" },
    { grace: 60, answer: 31_000, stop: 31_000, code: 143, why: "the probe gives it more" }
  ])("by a verdict with $code after $stop ms: $why", ({ grace, answer, stop, code }) => {
    const livenessProbe = grace === undefined ? {} : { terminationGracePeriodSeconds: grace }
    const life = somePodLife({ hangMillis: 0 }, { terminateMillis: answer })
    expect(runEnd(planOf({ container: { livenessProbe }, life }), 0)).toEqual({
      because: "livenessFailed",
      afterMillis: 20_000,
      stopMillis: stop,
      code,
      reason: "Error"
    })
  })

  it("with a grace of the probe's own only where it states one", () => {
    expect(probeTiming({ terminationGracePeriodSeconds: 7 })?.graceMillis).toBe(7_000)
    expect(probeTiming({})).not.toHaveProperty("graceMillis")
  })
})
