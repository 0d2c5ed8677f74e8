import { describe, expect, it } from "vitest"
import { aLife, aPod } from "../podAndNodeObservations.ts"
import {
  crash,
  exits,
  expectedOf,
  look,
  loseNode,
  outcomeOf,
  play,
  terminate,
  withDeadline
} from "./podCases.ts"
import type { Pod } from "../../../src/kubernetes/meta/objects.ts"
import type { PodCase } from "./podCases.ts"

const three = aPod({ node: "node-1", containers: ["app", "proxy", "logs"] })
const [app, proxy, logs] = three.spec.containers

/** Each container is pulled in 700 ms, starts within 300 ms more and is ready after another 500 ms. */
const withApp = (more: object): Pod => ({
  ...three,
  spec: { ...three.spec, containers: [{ ...app, ...more }, proxy, logs] as typeof three.spec.containers }
})
const creating = "ContainerCreating"
const running = "running started"
const ready = "running started ready"
const unstarted = "ContainerStatusUnknown 137"

describe("the containers of a Pod start one after another", () => {
  it.each<PodCase>([
    {
      why: "each when the one before runs",
      pod: three,
      steps: [90_000],
      lines: [
        `0 Pending: ${creating}, ${creating}, ${creating}`,
        `1000 Pending: ${running}, ${creating}, ${creating}`,
        `1500 Pending: ${ready}, ${creating}, ${creating}`,
        `2000 Pending: ${ready}, ${running}, ${creating}`,
        `2500 Pending: ${ready}, ${ready}, ${creating}`,
        `3000 Running: ${ready}, ${ready}, ${running}`,
        `3500 Running: ${ready}, ${ready}, ${ready}`
      ],
      value: { onNode: { running: "ready" } }
    },
    {
      why: "after the postStart hook of the one before",
      pod: withApp({ lifecycle: { postStart: { sleep: { seconds: 4 } } } }),
      steps: [6000],
      lines: [
        `5000 Pending: ${running}, ${creating}, ${creating}`,
        `5000 Pending: ${ready}, ${creating}, ${creating}`,
        `6000 Pending: ${ready}, ${running}, ${creating}`
      ],
      value: { onNode: "starting" }
    },
    {
      why: "whether the one before is ready or not",
      pod: withApp({ readinessProbe: { initialDelaySeconds: 60 } }),
      steps: [2999],
      lines: [`2500 Pending: ${running}, ${ready}, ${creating}`]
    },
    {
      why: "at once when the image of the one before cannot be pulled, and its next try holds none up",
      pod: three,
      life: { ...aLife(), containers: { app: aLife({ pullFailures: 1 }).otherContainers } },
      steps: [90_000],
      lines: [
        `700 Pending: ErrImagePull, ${creating}, ${creating}`,
        `1700 Pending: ImagePullBackOff, ${creating}, ${creating}`,
        `1700 Pending: ImagePullBackOff, ${running}, ${creating}`,
        `2200 Pending: ImagePullBackOff, ${ready}, ${creating}`,
        `2700 Pending: ImagePullBackOff, ${ready}, ${running}`,
        `3200 Pending: ImagePullBackOff, ${ready}, ${ready}`,
        `11400 Pending: ${creating}, ${ready}, ${ready}`,
        `11700 Running: ${running}, ${ready}, ${ready}`,
        `12200 Running: ${ready}, ${ready}, ${ready}`
      ]
    },
    {
      why: "at once when the one before has no valid image",
      pod: withApp({ image: "No Name" }),
      steps: [1000],
      lines: [
        `0 Pending: InvalidImageName, ${creating}, ${creating}`,
        `1000 Pending: InvalidImageName, ${running}, ${creating}`
      ]
    },
    {
      why: "although the one before crashes meanwhile",
      pod: three,
      life: { ...aLife(), containers: { app: exits(200, 3, 1) } },
      steps: [2000],
      lines: [
        `1200 Pending: Error 3, ${creating}, ${creating}`,
        `1500 Pending: ${running} x1, ${creating}, ${creating}`,
        `2000 Pending: ${ready} x1, ${creating}, ${creating}`,
        `2000 Pending: ${ready} x1, ${running}, ${creating}`
      ]
    },
    {
      why: "although the one before has completed, which does not end the Pod",
      pod: aPod({ node: "node-1", restartPolicy: "Never", containers: ["app", "proxy"] }),
      life: { ...aLife(), containers: { app: exits(200, 0), proxy: exits(300, 0) } },
      steps: [9000],
      lines: [
        `1200 Pending: Completed 0, ${creating}`,
        `2000 Running: Completed 0, ${running}`,
        "2300 Succeeded: Completed 0, Completed 0"
      ],
      value: "succeeded"
    },
    {
      why: "after the init containers and sidecars",
      pod: aPod({ node: "node-1", inits: ["side", "setup"], containers: ["app", "proxy"] }),
      steps: [90_000],
      lines: [
        `2000 Pending: ${ready}, Completed 0 ready, PodInitializing, PodInitializing`,
        `3000 Pending: ${ready}, Completed 0 ready, ${running}, PodInitializing`,
        `3500 Pending: ${ready}, Completed 0 ready, ${ready}, PodInitializing`,
        `4000 Running: ${ready}, Completed 0 ready, ${ready}, ${running}`,
        `4500 Running: ${ready}, Completed 0 ready, ${ready}, ${ready}`
      ]
    },
    {
      why: "not at all once the Pod is deleted",
      pod: three,
      steps: [1200, terminate(30), 9000],
      lines: [
        `1000 Pending: ${running}, ${creating}, ${creating}`,
        `1500 Pending: ${ready}, ${creating}, ${creating}`,
        `2100 Failed: Completed 0, ${unstarted}, ${unstarted}`,
        "2100 gone"
      ]
    },
    {
      why: "not at all once the Pod's deadline has passed",
      pod: withDeadline(2, three),
      steps: [9000],
      lines: [
        `1500 Pending: ${ready}, ${creating}, ${creating}`,
        `2900 Failed (DeadlineExceeded): Completed 0, ${unstarted}, ${unstarted}`
      ],
      value: "failed"
    },
    {
      why: "not at all once the Pod is evicted",
      pod: three,
      steps: [
        1200,
        (harness) => harness.look({ life: { ...aLife(), eviction: { reason: "Evicted", message: "" } } }),
        9000
      ],
      lines: [`2100 Failed (Evicted): Completed 0, ${unstarted}, ${unstarted}`],
      value: "failed"
    },
    {
      why: "under a new actor, too, which begins anew with the one that was not started",
      pod: three,
      steps: [1600, crash, look, 90_000],
      lines: [
        `2600 Pending: ${ready}, ${running}, ${creating}`,
        `3100 Pending: ${ready}, ${ready}, ${creating}`,
        `3600 Running: ${ready}, ${ready}, ${running}`,
        `4100 Running: ${ready}, ${ready}, ${ready}`
      ]
    },
    {
      why: "when the node is back",
      pod: three,
      steps: [1600, loseNode, 5000, look, 1000],
      lines: [
        `1500 Pending: ${ready}, ${creating}, ${creating}`,
        `7600 Pending: ${ready}, ${running}, ${creating}`
      ]
    }
  ])("$why", (podCase) => {
    expect(outcomeOf(podCase)).toEqual(expectedOf(podCase))
  })

  it("with events of one container before those of the next", () => {
    expect(play(aPod({ node: "node-1", containers: ["app", "proxy"] }), aLife(), [90_000]).events()).toEqual([
      "0 Pulling",
      "700 Pulled",
      "1000 Created",
      "1000 Started",
      "1000 Pulling",
      "1700 Pulled",
      "2000 Created",
      "2000 Started"
    ])
  })
})
