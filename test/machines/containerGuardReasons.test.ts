import { expect, it } from "vitest"
import { containerGuards, type ContainerContext } from "../../machines/guards/containerGuards.ts"
import { containerPlan } from "../../src/kubernetes/pods/containers/containers.ts"
import { aLife, aPod, newContainer } from "./podAndNodeObservations.ts"
import type { ContainerFacts } from "../../src/kubernetes/pods/containers/containers.ts"
import type { ContainerLife } from "../../src/kubernetes/pods/podLife.ts"

/** What `charthouse why` says of a container's guards, with the numbers that they compare. */

const probe = { httpGet: { port: 80 } }
const contextOf = (
  life: Partial<ContainerLife>,
  facts: Partial<ContainerFacts> = {},
  more: Partial<ContainerContext> & { readonly probes?: object } = {}
): ContainerContext => {
  const { probes = {}, ...rest } = more
  const { spec } = aPod()
  const plan = containerPlan(
    { name: "app", image: "a:v1", ...probes },
    { role: "app", spec, life: aLife(life) }
  )
  return {
    plan,
    facts: { ...newContainer(), ...facts },
    failedPulls: 0,
    flaps: 0,
    elapsedMillis: 0,
    ...rest
  }
}

const crashes = { afterMillis: 1700, code: 3, reason: "Error", times: 2 }
const flap = { readyMillis: 1100, unreadyMillis: 600, times: 3 }
const crash = { code: 137, reason: "OOMKilled", ranMillis: 5 }

const rows: ReadonlyArray<readonly [keyof typeof containerGuards, ContainerContext, string]> = [
  ["wasRunning", contextOf({}, { doing: "running" }), "it was running"],
  ["isNotPulled", contextOf({}), "its image comes from registry"],
  ["wasReady", contextOf({}, { ready: true }), "it was ready"],
  ["wasReady", contextOf({}), "it was not ready"],
  [
    "pullFails",
    contextOf({ pullFailures: 2 }, {}, { failedPulls: 1 }),
    "pulls that failed so far 1, it fails 2 times"
  ],
  ["pullFails", contextOf({ pullFailures: Infinity }), "pulls that failed so far 0, it fails every time"],
  ["hasStartupProbe", contextOf({}), "it has no startup probe"],
  [
    "hasStartupProbe",
    contextOf({}, {}, { probes: { startupProbe: probe } }),
    "its startup probe passes 10s after its start, and has not yet"
  ],
  [
    "hasStartupProbe",
    contextOf({}, { started: true }, { probes: { startupProbe: probe } }),
    "its startup probe passes 10s after its start, and has"
  ],
  ["willEnd", contextOf({}), "run 1 lasts"],
  [
    "willEnd",
    contextOf({ exit: crashes }, { restartCount: 1 }),
    "run 2 ends 1.7s after its start, exited (3, Error)"
  ],
  ["endsByProbe", contextOf({ exit: crashes }, { restartCount: 2 }), "run 3 lasts"],
  ["losesReadiness", contextOf({}), "its readiness lasts"],
  ["losesReadiness", contextOf({ flap }, {}, { flaps: 1 }), "readiness lost 1 times, it is lost 3 times"],
  ["mayRestart", contextOf({}), "restartPolicy Always, last exit none"],
  [
    "mayRestart",
    contextOf({}, { lastExit: { code: 3, reason: "Error" } }),
    "restartPolicy Always, last exit 3"
  ],
  [
    "mayRestart",
    contextOf({}, {}, { probes: { restartPolicy: "Never", restartPolicyRules: [{ action: "Restart" }] } }),
    "restartPolicy Never with rules, last exit none"
  ],
  ["isFirstCrash", contextOf({}, { crashes: 1 }), "crashes in a row 1, back-off none"],
  ["isFirstCrash", contextOf({}, { crashes: 2 }), "crashes in a row 2, back-off 10s"],
  ["isStartupProbed", contextOf({}), "nothing stops it"],
  [
    "isStartupProbed",
    contextOf({}, {}, { stop: { withinMillis: 1, isKilled: false } }),
    "it is stopping with its Pod"
  ],
  [
    "isStartupProbed",
    contextOf(
      {},
      {},
      { probeEnd: { because: "startupFailed", afterMillis: 1, stopMillis: 1, code: 143, reason: "Error" } }
    ),
    "it is killed, startupFailed"
  ],
  ["hasCrashed", contextOf({}), "nothing has ended this run"],
  ["hasCrashed", contextOf({ runFault: { run: 0, crash } }), "ended from outside: OOMKilled, 137"],
  ["isHanging", contextOf({}), "it answers"],
  [
    "isHanging",
    contextOf({ runFault: { run: 0, silentMillis: 2500 } }),
    "it answers nothing from 2.5s after its start"
  ],
  ["isReadinessProbed", contextOf({}), "it has no readiness probe"],
  ["isReadinessProbed", contextOf({}, {}, { probes: { readinessProbe: probe } }), "it has a readiness probe"]
]

it.each(rows)("%s", (guard, context, text) => {
  expect(containerGuards[guard].reason({ context })).toBe(text)
})
