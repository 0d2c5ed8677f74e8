import { describe, expect, it } from "vitest"
import {
  containerSpecOf,
  containerPlan,
  isContainerDone
} from "../../../../src/kubernetes/pods/containers/containers.ts"
import { initContainerRole } from "../../../../src/kubernetes/pods/containers/containerRoles.ts"
import { runEnd, containerStop } from "../../../../src/kubernetes/pods/containers/containerRuns.ts"
import { probeTiming } from "../../../../src/kubernetes/pods/containers/probes.ts"
import { aPod } from "../../../builders.ts"
import { anInit, someFacts, someLife, somePodLife, withCode } from "../containerFixtures.ts"
import type { ContainerRole } from "../../../../src/kubernetes/pods/containers/containerRoles.ts"
import type { ContainerLife, PodLife } from "../../../../src/kubernetes/pods/podLife.ts"

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

describe("the restart policy of a container", () => {
  it.each<{ role: ContainerRole; policy: string | undefined; own: string; why: string }>([
    { role: "app", policy: undefined, own: "Always", why: "the default" },
    { role: "app", policy: "Never", own: "Never", why: "the Pod's policy" },
    { role: "app", policy: "OnFailure", own: "OnFailure", why: "the Pod's policy" },
    { role: "sidecar", policy: "Never", own: "Always", why: "a sidecar has its own policy" },
    {
      role: "init",
      policy: "Always",
      own: "OnFailure",
      why: "an init container does not restart after success"
    },
    { role: "init", policy: "Never", own: "Never", why: "an init container's failure fails the Pod" }
  ])("is $own for role $role in a Pod with $policy: $why", ({ role, policy, own }) => {
    const spec = policy === undefined ? {} : { restartPolicy: policy }
    expect(planOf({ role, spec }).restartPolicy).toBe(own)
  })

  it.each([
    { restartPolicy: "Always", role: "sidecar" },
    { restartPolicy: "OnFailure", role: "init" },
    { restartPolicy: undefined, role: "init" }
  ])("makes an init container with $restartPolicy a $role", ({ restartPolicy, role }) => {
    expect(initContainerRole({ name: "it", ...(restartPolicy === undefined ? {} : { restartPolicy }) })).toBe(
      role
    )
  })

  it.each([
    { facts: someFacts("running", withCode(0)), policy: "Never", done: false, why: "it runs" },
    {
      facts: someFacts("crashBackOff", withCode(0)),
      policy: "OnFailure",
      done: false,
      why: "it waits for its back-off"
    },
    { facts: someFacts("terminated", withCode(0)), policy: "Always", done: false, why: "it restarts" },
    { facts: someFacts("terminated", withCode(0)), policy: "OnFailure", done: true, why: "it succeeded" },
    { facts: someFacts("terminated", withCode(1)), policy: "OnFailure", done: false, why: "it failed" },
    {
      facts: someFacts("terminated", withCode(1)),
      policy: "Never",
      done: true,
      why: "failures are final as well"
    },
    {
      facts: anInit("terminated", withCode(0)),
      policy: "Always",
      done: true,
      why: "an init container succeeded"
    }
  ])(
    "lets a $facts.role that is $facts.doing be done: $done under $policy: $why",
    ({ facts, policy, done }) => {
      expect(isContainerDone(facts, { containers: [], restartPolicy: policy })).toBe(done)
    }
  )
})

describe("the termination of a container", () => {
  it("has the Pod's grace period, 30 s by default", () => {
    expect(planOf({ spec: { terminationGracePeriodSeconds: 7 } }).graceMillis).toBe(7_000)
    expect(planOf({}).graceMillis).toBe(30_000)
  })

  it.each([
    { lifecycle: { preStop: { sleep: { seconds: 3 } } }, hook: 3_000, why: "a sleep" },
    { lifecycle: { preStop: { exec: { command: ["x"] } } }, hook: 0, why: "a command takes no time" },
    {
      lifecycle: { preStop: { exec: { command: ["sleep", "10"] } } },
      hook: 10_000,
      why: "the command sleep"
    },
    {
      lifecycle: { preStop: { exec: { command: ["/bin/sleep", "2.5s"] } } },
      hook: 2_500,
      why: "the command sleep with a path"
    },
    {
      lifecycle: { preStop: { exec: { command: ["sh", "-c", "sleep 5; nginx -s quit; sleep 2"] } } },
      hook: 7_000,
      why: "several sleeps in a shell"
    },
    {
      lifecycle: { preStop: { exec: { command: ["/bin/bash", "-ec", "exec sleep 4"] } } },
      hook: 4_000,
      why: "another shell"
    },
    {
      lifecycle: { preStop: { exec: { command: ["sh", "-c", "echo sleep 9"] } } },
      hook: 0,
      why: "the word sleep in another command"
    },
    {
      lifecycle: { preStop: { exec: { command: ["sleep", "a while"] } } },
      hook: 0,
      why: "sleep with an invalid duration"
    },
    { lifecycle: { postStart: { exec: { command: ["x"] } } }, hook: 0, why: "no preStop hook" },
    { lifecycle: {}, hook: 0, why: "no hook" }
  ])("takes $hook ms for the hook: $why", ({ lifecycle, hook }) => {
    expect(planOf({ container: { lifecycle } }).preStopHookMillis).toBe(hook)
  })

  it.each([
    {
      stopsAfter: 700,
      hook: 0,
      grace: 30,
      after: undefined,
      within: 700,
      killed: false,
      why: "it stops at once"
    },
    {
      stopsAfter: 700,
      hook: 3,
      grace: 30,
      after: undefined,
      within: 3_700,
      killed: false,
      why: "after its hook"
    },
    {
      stopsAfter: 700,
      hook: 3,
      grace: 30,
      after: 9_000,
      within: 9_700,
      killed: false,
      why: "after the other containers"
    },
    {
      stopsAfter: 7_000,
      hook: 0,
      grace: 7,
      after: 0,
      within: 7_000,
      killed: false,
      why: "just within the grace period"
    },
    {
      stopsAfter: 7_001,
      hook: 0,
      grace: 7,
      after: 0,
      within: 7_000,
      killed: true,
      why: "just after the grace period"
    },
    {
      stopsAfter: 15_000,
      hook: 20,
      grace: 30,
      after: 0,
      within: 30_000,
      killed: true,
      why: "the hook counts in the grace period"
    },
    {
      stopsAfter: 5_000,
      hook: 0,
      grace: 1,
      after: 0,
      within: 2_000,
      killed: true,
      why: "two seconds at least"
    },
    {
      stopsAfter: 5_000,
      hook: 40,
      grace: 30,
      after: 0,
      within: 32_000,
      killed: true,
      why: "two seconds after a hook that took the grace period"
    }
  ])("takes $within ms, killed: $killed: $why", ({ stopsAfter, hook, grace, after, within, killed }) => {
    const timing = { exitMillis: stopsAfter, preStopHookMillis: hook * 1000, graceMillis: grace * 1000 }
    expect(containerStop(timing, after)).toEqual({ withinMillis: within, isKilled: killed })
  })
})

describe("the life of a container", () => {
  const crashing: ContainerLife = someLife({
    pullFailures: 2,
    startMillis: 300,
    exit: { afterMillis: 4_000, code: 3, reason: "Error", times: 2 },
    hangMillis: 9
  })
  const life = somePodLife(crashing)

  it("is that of its name, else that of the other containers", () => {
    const own = someLife({ readyMillis: 13 })
    expect(planOf({ life: { ...life, containers: { app: own } } }).life).toEqual(own)
    expect(planOf({ life: { ...life, containers: { other: own } } }).life).toEqual(crashing)
  })

  it.each<{ role: ContainerRole }>([{ role: "init" }, { role: "sidecar" }])(
    "has the delays but no faults for an unnamed $role",
    ({ role }) => {
      expect(planOf({ role, life }).life).toEqual(someLife({ startMillis: 300 }))
    }
  )

  it("is shared by the Pods of one template and behaviour", () => {
    const container = { name: "app", image: "web:v1", readinessProbe: {} }
    const options = { role: "init", spec: {}, life } as const
    const [first, second] = [containerPlan(container, options), containerPlan(container, options)]
    expect(second.readiness).toBe(first.readiness)
    expect(second.life).toBe(first.life)
  })
})

describe("the container of a Pod by name", () => {
  const [web, log, setup] = [{ name: "web" }, { name: "log" }, { name: "setup" }] as const
  const { spec } = aPod({ spec: { containers: [web, log], initContainers: [setup] } })

  it("is found among those of its role", () => {
    expect(containerSpecOf(spec, someFacts("running", { name: "log" }))).toBe(log)
    expect(containerSpecOf(spec, anInit("running"))).toBe(setup)
    expect(containerSpecOf(spec, anInit("running", { name: "web" }))).toBeUndefined()
    expect(containerSpecOf(aPod().spec, anInit("running"))).toBeUndefined()
  })
})

describe("the end of a run", () => {
  const completed = { because: "exited", afterMillis: 0, stopMillis: 0, code: 0, reason: "Completed" }
  const exit = { afterMillis: 4_000, code: 3, reason: "OOMKilled", times: 2 }

  it("is an immediate success for an init container by default", () => {
    expect(runEnd(planOf({ role: "init" }), 0)).toEqual(completed)
    expect(runEnd(planOf({ role: "sidecar" }), 0)).toBeUndefined()
  })

  it("follows the behaviour of an init container, then is a success", () => {
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
    { why: "an application that never hangs", life: {}, container: { livenessProbe: {} }, end: undefined },
    {
      why: "the exit before the failure of the probe",
      life: { exit, hangMillis: 0 },
      container: { livenessProbe: {} },
      end: "exited"
    },
    {
      why: "the exit wins at the same instant",
      life: { exit, readyMillis: 9_000 },
      container: { startupProbe: { periodSeconds: 2 } },
      end: "exited"
    }
  ])("$end: $why", ({ life, container, end }) => {
    expect(runEnd(planOf({ container, life: somePodLife(life) }), 0)?.because).toBe(end)
  })

  it.each([
    { grace: undefined, stopsAfter: 700, stop: 700, code: 143, why: "it stops in time" },
    { grace: undefined, stopsAfter: 31_000, stop: 30_000, code: 137, why: "the Pod's grace period is over" },
    { grace: 5, stopsAfter: 31_000, stop: 5_000, code: 137, why: "the probe's grace period is shorter" },
    { grace: 60, stopsAfter: 31_000, stop: 31_000, code: 143, why: "the probe's grace period is longer" }
  ])("after a failed probe has code $code after $stop ms: $why", ({ grace, stopsAfter, stop, code }) => {
    const livenessProbe = grace === undefined ? {} : { terminationGracePeriodSeconds: grace }
    const life = somePodLife({ hangMillis: 0 }, { terminateMillis: stopsAfter })
    expect(runEnd(planOf({ container: { livenessProbe }, life }), 0)).toEqual({
      because: "livenessFailed",
      afterMillis: 21_000,
      stopMillis: stop,
      code,
      reason: "Error"
    })
  })

  it("has the probe's grace period only when the probe has one", () => {
    expect(probeTiming({ terminationGracePeriodSeconds: 7 })?.graceMillis).toBe(7_000)
    expect(probeTiming({})).not.toHaveProperty("graceMillis")
  })
})
