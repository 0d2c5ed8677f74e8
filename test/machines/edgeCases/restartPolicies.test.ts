import { describe, expect, it } from "vitest"
import { aLife, aPod } from "../podAndNodeObservations.ts"
import { conditionOf } from "../../../src/kubernetes/meta/conditions.ts"
import { crash, exits, expectedOf, look, outcomeOf, play, terminate } from "./podCases.ts"
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
const exitOnce = { code: 3, reason: "Error", times: 1 }
const restartAll = (...values: ReadonlyArray<number>) => ({
  restartPolicy: "Never",
  restartPolicyRules: [{ action: "RestartAllContainers", exitCodes: { operator: "In", values } }]
})
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
        "2500 Running: running started ready, running started ready",
        "3300 Running: running started ready, Error 3"
      ]
    },
    {
      why: "ends the Pod with the others",
      pod: podOf("Always", { app: { restartPolicy: "OnFailure" }, task: { restartPolicy: "Never" } }),
      life: { ...aLife(), containers: { app: exits(4300, 0), task: exits(1300, 3) } },
      steps: [90_000],
      lines: ["3300 Running: running started ready, Error 3", "5300 Failed: Completed 0, Error 3"]
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

describe("a container whose end restarts all containers of its Pod", () => {
  const life = { ...aLife(), terminateMillis: 700, containers: { task: exits(1300, 3, 1) } }

  it.each<PodCase>([
    {
      why: "waits for the others to stop, and starts after them, without back-off",
      pod: podOf("Never", { app: {}, task: restartAll(3) }),
      life,
      steps: [90_000],
      lines: [
        "3300 Running: running started ready, Error 3",
        "4000 Running: Completed 0, Error 3",
        "4000 Running: RestartingAllContainers x1, RestartingAllContainers x1",
        "4300 Running: running started x1, RestartingAllContainers x1",
        "4600 Running: running started x1, running started x1",
        "4800 Running: running started ready x1, running started x1",
        "5100 Running: running started ready x1, running started ready x1"
      ]
    },
    {
      why: "waits two seconds for them, whatever their grace period",
      pod: podOf("Never", { app: {}, task: restartAll(3) }),
      life: { ...life, terminateMillis: 20_000 },
      steps: [5400],
      lines: [
        "3300 Running: running started ready, Error 3",
        "5300 Running: Error 137, Error 3",
        "5300 Running: RestartingAllContainers x1, RestartingAllContainers x1"
      ]
    },
    {
      why: "runs the init containers again",
      pod: podOf("Never", { setup: {}, app: {}, task: restartAll(3) }),
      life: { ...life, containers: { ...life.containers, setup: exits(500, 0) } },
      steps: [6400],
      lines: [
        "5500 Running: Completed 0 ready, Completed 0, Error 3",
        "5500 Running: PodInitializing x1, PodInitializing x1, PodInitializing x1",
        "5800 Running: running started x1, PodInitializing x1, PodInitializing x1",
        "6300 Running: Completed 0 ready x1, PodInitializing x1, PodInitializing x1"
      ]
    },
    {
      why: "goes on so under a new actor, too",
      pod: podOf("Never", { setup: {}, app: {}, task: restartAll(3) }),
      life: { ...life, containers: { ...life.containers, setup: exits(500, 0) } },
      steps: [5600, crash, look, 90_000],
      lines: [
        "5900 Running: running started x1, PodInitializing x1, PodInitializing x1",
        "6400 Running: Completed 0 ready x1, PodInitializing x1, PodInitializing x1",
        "6700 Running: Completed 0 ready x1, running started x1, PodInitializing x1",
        "7000 Running: Completed 0 ready x1, running started x1, running started x1",
        "7200 Running: Completed 0 ready x1, running started ready x1, running started x1",
        "7500 Running: Completed 0 ready x1, running started ready x1, running started ready x1"
      ]
    },
    {
      why: "begins again under a new actor that finds it ended",
      pod: podOf("Never", { app: {}, task: restartAll(3) }),
      life,
      steps: [3400, crash, look, 900],
      lines: [
        "3300 Running: running started ready, Error 3",
        "4100 Running: Completed 0, Error 3",
        "4100 Running: RestartingAllContainers x1, RestartingAllContainers x1"
      ]
    },
    {
      why: "is stopped with the others when its Pod is deleted meanwhile",
      pod: podOf("Never", { app: {}, task: restartAll(3) }),
      life,
      steps: [3400, terminate(30), 90_000],
      lines: [
        "3300 Running: running started ready, Error 3",
        "4100 Failed: Completed 0, Error 3",
        "4100 gone"
      ]
    },
    {
      why: "restarts its Pod when it is an init container, too",
      pod: podOf("Never", { setup: restartAll(3), app: {} }),
      life: {
        ...life,
        containers: { setup: aLife({ exit: { ...exitOnce, afterMillis: 500 } }).otherContainers }
      },
      steps: [2000],
      lines: [
        "1500 Pending: Error 3, PodInitializing",
        "1500 Pending: PodInitializing x1, PodInitializing",
        "1800 Pending: running started x1, PodInitializing",
        "1800 Pending: Completed 0 ready x1, PodInitializing"
      ]
    }
  ])("$why", (row) => {
    expect(outcomeOf(row)).toEqual(expectedOf(row))
  })

  it("is told by a condition of the Pod", () => {
    const harness = play(podOf("Never", { app: {}, task: restartAll(3) }), life, [3200])
    const restarting = () => conditionOf(harness.pod().status.conditions, "AllContainersRestarting")
    expect(restarting()).toMatchObject({ status: "False" })
    harness.wait(200)
    expect(restarting()).toMatchObject({
      status: "True",
      reason: "RestartAllContainersStarted",
      message: "container exited with restart policy rule"
    })
    harness.wait(700)
    expect(restarting()).toMatchObject({ status: "False" })
    const [app] = harness.pod().status.containerStatuses ?? []
    expect(app).toMatchObject({
      lastState: { terminated: { exitCode: 137, reason: "RestartingAllContainers" } }
    })
  })

  it("shows how a run ended that took no time", () => {
    const ending = { ...life.containers, setup: exits(0, 0) }
    const pod = podOf("Never", { setup: {}, app: {}, task: restartAll(3) })
    const harness = play(pod, { ...life, containers: ending }, [90_000])
    expect(harness.pod().status.initContainerStatuses).toMatchObject([
      {
        restartCount: 1,
        state: { terminated: { exitCode: 0, reason: "Completed" } },
        lastState: { terminated: { exitCode: 137, reason: "RestartingAllContainers" } }
      }
    ])
  })

  it("pulls no image again", () => {
    const harness = play(podOf("Never", { app: {}, task: restartAll(3) }), life, [3400])
    harness.events()
    harness.wait(90_000)
    expect(harness.events()).toEqual(
      [4300, 4600].flatMap((at) => ["Pulled", "Created", "Started"].map((reason) => `${at} ${reason}`))
    )
  })
})
