import { describe, expect, it } from "vitest"
import { aLife, aPod } from "../podAndNodeObservations.ts"
import { crash, exits, expectedOf, look, outcomeOf } from "./podCases.ts"
import type { ContainerRestartFields } from "../../../src/kubernetes/pods/containers/restartPolicies.ts"
import type { Pod } from "../../../src/kubernetes/meta/objects.ts"
import type { PodCase } from "./podCases.ts"

const podOf = (restartPolicy: string, terms: Readonly<Record<string, ContainerRestartFields>>): Pod => {
  const pod = aPod({ node: "node-1", restartPolicy })
  const named = Object.entries(terms).map(([name, own]) => ({
    name,
    image: `registry.example/${name}:v1`,
    ...own
  }))
  const isInit = ({ name }: { readonly name: string }): boolean => name === "setup"
  const initContainers = named.filter(isInit)
  const containers = named.filter((container) => !isInit(container))
  return {
    ...pod,
    spec: { ...pod.spec, containers, ...(initContainers.length === 0 ? {} : { initContainers }) }
  }
}
const rule = (...values: ReadonlyArray<number>) => ({
  restartPolicyRules: [{ action: "Restart", exitCodes: { operator: "In", values } }]
})

describe("a container with a restart policy of its own", () => {
  it.each<PodCase>([
    {
      why: "stays terminated while another runs",
      pod: podOf("Always", { app: {}, task: { restartPolicy: "Never" } }),
      life: { ...aLife(), containers: { task: exits(1300, 3) } },
      steps: [90_000],
      lines: [
        "1500 Running: running started ready, running started ready",
        "2300 Running: running started ready, Error 3"
      ]
    },
    {
      why: "ends the Pod with the others",
      pod: podOf("Always", { app: { restartPolicy: "OnFailure" }, task: { restartPolicy: "Never" } }),
      life: { ...aLife(), containers: { app: exits(2300, 0), task: exits(1300, 3) } },
      steps: [90_000],
      lines: ["2300 Running: running started ready, Error 3", "3300 Failed: Completed 0, Error 3"]
    },
    {
      why: "restarts in a Pod that does not",
      pod: podOf("Never", { app: { restartPolicy: "OnFailure" } }),
      life: aLife({ exit: exits(1300, 3, 1).exit }),
      steps: [90_000],
      lines: [
        "2300 Running: Error 3",
        "2600 Running: running started x1",
        "3100 Running: running started ready x1"
      ]
    },
    {
      why: "restarts after the exit code of a rule",
      pod: podOf("Never", { app: { restartPolicy: "Never", ...rule(3) } }),
      life: aLife({ exit: exits(1300, 3, 1).exit }),
      steps: [90_000],
      lines: [
        "2300 Running: Error 3",
        "2600 Running: running started x1",
        "3100 Running: running started ready x1"
      ]
    },
    {
      why: "fails its Pod after the exit code of no rule",
      pod: podOf("Always", { app: { restartPolicy: "Never", ...rule(4, 5) } }),
      life: aLife({ exit: exits(1300, 3, 1).exit }),
      steps: [90_000],
      lines: ["2300 Failed: Error 3"]
    },
    {
      why: "restarts by its rule under a new actor, too",
      pod: podOf("Never", { app: { restartPolicy: "Never", ...rule(3) } }),
      life: aLife({ exit: exits(1300, 3, 1).exit }),
      steps: [2400, crash, look, 90_000],
      lines: [
        "2300 Running: Error 3",
        "2400 Running: running started x1",
        "2900 Running: running started ready x1"
      ]
    },
    {
      why: "fails the Pod if it is an init container",
      pod: podOf("Always", { app: {}, setup: { restartPolicy: "Never" } }),
      life: { ...aLife(), containers: { setup: exits(400, 3, 1) } },
      steps: [90_000],
      lines: ["1000 Pending: running started, PodInitializing", "1400 Failed: Error 3, PodInitializing"],
      value: "failed"
    },
    {
      why: "restarts as an init container of a Pod that does not",
      pod: podOf("Never", { app: {}, setup: { restartPolicy: "OnFailure" } }),
      life: { ...aLife(), containers: { setup: exits(400, 3, 1) } },
      steps: [1800],
      lines: [
        "1400 Pending: Error 3, PodInitializing",
        "1700 Pending: running started x1, PodInitializing",
        "1700 Pending: Completed 0 ready x1, PodInitializing"
      ]
    }
  ])("$why", (row) => {
    expect(outcomeOf(row)).toEqual(expectedOf(row))
  })
})
