import { describe, expect, it } from "vitest"
import { countsText, playManualStory, podText } from "./manualPods.ts"
import { targetNodeName } from "../../../src/kubernetes/apps/daemonSets/daemonPods.ts"
import type { DaemonSet } from "../../../src/kubernetes/apps/daemonSets/daemonSetTypes.ts"
import type { Manifest } from "../../../src/kubernetes/meta/objects.ts"
import type { Step, StoryKind } from "./manualPods.ts"

/** Pods are called by node and version, and described so: `1v1:ready`. */
const daemonSets: StoryKind = {
  resource: "daemonsets.apps",
  nameOf: (pod) =>
    `${(targetNodeName(pod) ?? "").replace("node-", "")}${(pod.spec.containers[0]?.image ?? "").split(":")[1] ?? ""}`,
  describe: (object, pods) => {
    const { status } = object as DaemonSet
    const counts = countsText({
      desired: status.desiredNumberScheduled,
      current: status.currentNumberScheduled,
      misscheduled: status.numberMisscheduled,
      updated: status.updatedNumberScheduled,
      available: status.numberAvailable
    })
    const texts = pods.map((pod) => `${daemonSets.nameOf(pod)}:${podText(pod)}`).sort()
    return `${counts} | ${texts.join(" ")}`
  }
}

const update = (version: string): string =>
  `set ${JSON.stringify({ template: { spec: { containers: [{ name: "app", image: `agent:${version}` }] } } })}`

const aDaemonSet = (spec: object): Manifest =>
  ({
    apiVersion: "apps/v1",
    kind: "DaemonSet",
    metadata: { name: "agent" },
    spec: {
      selector: { matchLabels: { app: "agent" } },
      ...spec,
      template: {
        metadata: { labels: { app: "agent" } },
        spec: { containers: [{ name: "app", image: "agent:v1" }] }
      }
    }
  }) as Manifest

interface Row {
  readonly why: string
  readonly spec: object
  readonly steps: ReadonlyArray<Step>
}

const surge = (maxSurge: number | string) => ({
  updateStrategy: { rollingUpdate: { maxSurge, maxUnavailable: 0 } }
})
const taint = (effect: string): string =>
  `node ${JSON.stringify({ spec: { taints: [{ key: "disk", value: "slow", effect }] } })}`

const rows: ReadonlyArray<Row> = [
  {
    why: "maxSurge: a new Pod comes beside the old one, which goes once the new one is available",
    spec: surge(1),
    steps: [
      ["create", "desired=3 current=3 updated=3 | 1v1:pending 2v1:pending 3v1:pending"],
      ["run all", "desired=3 current=3 updated=3 available=3 | 1v1:ready 2v1:ready 3v1:ready"],
      [update("v2"), "desired=3 current=3 available=3 | 1v1:ready 1v2:pending 2v1:ready 3v1:ready"]
    ]
  },
  {
    why: "maxSurge: old Pods that are not available get a new one at once",
    spec: surge(1),
    steps: [
      ["create", "desired=3 current=3 updated=3 | 1v1:pending 2v1:pending 3v1:pending"],
      ["run 1v1", "desired=3 current=3 updated=3 available=1 | 1v1:ready 2v1:pending 3v1:pending"],
      [
        update("v2"),
        "desired=3 current=3 updated=2 available=1 | 1v1:ready 1v2:pending 2v2:pending 3v2:pending"
      ],
      [
        "run 2v2,3v2",
        "desired=3 current=3 updated=2 available=3 | 1v1:ready 1v2:pending 2v2:ready 3v2:ready"
      ],
      ["run 1v2", "desired=3 current=3 updated=3 available=3 | 1v2:ready 2v2:ready 3v2:ready"]
    ]
  },
  {
    why: "maxSurge: where a node takes no more Pods, the old one goes once enough others are available",
    spec: surge("100%"),
    steps: [
      ["create", "desired=3 current=3 updated=3 | 1v1:pending 2v1:pending 3v1:pending"],
      ["run all", "desired=3 current=3 updated=3 available=3 | 1v1:ready 2v1:ready 3v1:ready"],
      [
        taint("NoSchedule"),
        "desired=2 current=2 misscheduled=1 updated=2 available=2 | 1v1:ready 2v1:ready 3v1:ready"
      ],
      [
        "start 2v1",
        "desired=2 current=2 misscheduled=1 updated=2 available=1 | 1v1:ready 2v1:running 3v1:ready"
      ],
      [
        update("v2"),
        "desired=2 current=2 misscheduled=1 updated=1 available=1 | 1v1:ready 2v2:pending 3v1:ready 3v2:pending"
      ],
      ["run 2v2", "desired=2 current=2 updated=1 available=2 | 2v2:ready 3v1:ready 3v2:pending"]
    ]
  },
  {
    why: "maxSurge: on a node that takes no more Pods, an old one that is not available goes at once",
    spec: surge(1),
    steps: [
      ["create", "desired=3 current=3 updated=3 | 1v1:pending 2v1:pending 3v1:pending"],
      ["run 2v1,3v1", "desired=3 current=3 updated=3 available=2 | 1v1:pending 2v1:ready 3v1:ready"],
      [
        taint("NoSchedule"),
        "desired=2 current=2 misscheduled=1 updated=2 available=2 | 1v1:pending 2v1:ready 3v1:ready"
      ],
      [update("v2"), "desired=2 current=2 available=2 | 2v1:ready 2v2:pending 3v1:ready"]
    ]
  },
  {
    why: "a drained node loses its Pod, and has one again when it takes Pods",
    spec: {},
    steps: [
      ["create", "desired=3 current=3 updated=3 | 1v1:pending 2v1:pending 3v1:pending"],
      ["run all", "desired=3 current=3 updated=3 available=3 | 1v1:ready 2v1:ready 3v1:ready"],
      [taint("NoExecute"), "desired=2 current=2 updated=2 available=2 | 2v1:ready 3v1:ready"],
      [
        'node {"spec":{"taints":null}}',
        "desired=3 current=3 updated=3 available=2 | 1v1:pending 2v1:ready 3v1:ready"
      ]
    ]
  },
  {
    why: "a cordoned node keeps its Pod, and gets new ones",
    spec: {},
    steps: [
      ["create", "desired=3 current=3 updated=3 | 1v1:pending 2v1:pending 3v1:pending"],
      ["run all", "desired=3 current=3 updated=3 available=3 | 1v1:ready 2v1:ready 3v1:ready"],
      [
        'node {"spec":{"unschedulable":true}}',
        "desired=3 current=3 updated=3 available=3 | 1v1:ready 2v1:ready 3v1:ready"
      ],
      ["reap 1v1", "desired=3 current=3 updated=3 available=2 | 1v1:pending 2v1:ready 3v1:ready"]
    ]
  },
  {
    why: "Pods that fail on a node are replaced at once, then later and later",
    spec: {},
    steps: [
      ["create", "desired=3 current=3 updated=3 | 1v1:pending 2v1:pending 3v1:pending"],
      ["run all", "desired=3 current=3 updated=3 available=3 | 1v1:ready 2v1:ready 3v1:ready"],
      ["fail 1v1", "desired=3 current=3 updated=3 available=2 | 1v1:pending 2v1:ready 3v1:ready"],
      ["fail 1v1", "desired=3 current=3 updated=3 available=2 | 1v1:pending 2v1:ready 3v1:ready"],
      ["fail 1v1", "desired=3 current=3 updated=3 available=2 | 1v1:pending 2v1:ready 3v1:ready"],
      ["fail 1v1", "desired=3 current=3 updated=3 available=2 | 1v1:pending 2v1:ready 3v1:ready"],
      ["fail 1v1", "desired=3 current=3 updated=3 available=2 | 1v1:failed 2v1:ready 3v1:ready"],
      ["wait 4s", "desired=3 current=3 updated=3 available=2 | 1v1:pending 2v1:ready 3v1:ready"]
    ]
  },
  {
    why: "maxUnavailable counts Pods that are new and not available",
    spec: { minReadySeconds: 10, updateStrategy: { rollingUpdate: { maxUnavailable: "50%" } } },
    steps: [
      ["create", "desired=3 current=3 updated=3 | 1v1:pending 2v1:pending 3v1:pending"],
      ["run all", "desired=3 current=3 updated=3 | 1v1:ready 2v1:ready 3v1:ready"],
      ["wait 10s", "desired=3 current=3 updated=3 available=3 | 1v1:ready 2v1:ready 3v1:ready"],
      [update("v2"), "desired=3 current=3 updated=2 available=1 | 1v2:pending 2v2:pending 3v1:ready"],
      ["run 1v2,2v2", "desired=3 current=3 updated=2 available=1 | 1v2:ready 2v2:ready 3v1:ready"],
      ["wait 10s", "desired=3 current=3 updated=3 available=2 | 1v2:ready 2v2:ready 3v2:pending"]
    ]
  }
]

describe("a DaemonSet", () => {
  it.each(rows)("$why", async ({ spec, steps }) => {
    expect(await playManualStory(daemonSets, aDaemonSet(spec), { steps })).toEqual(steps)
  })
})
