import { describe, expect, it } from "vitest"
import { countsText, playManualStory, podText } from "./manualPods.ts"
import type { Manifest } from "../../../src/kubernetes/meta/objects.ts"
import type { StatefulSet } from "../../../src/kubernetes/apps/statefulSets/statefulSetTypes.ts"
import type { Step, StoryKind } from "./manualPods.ts"

/** Pods are called by ordinal, and described with the version of their image: `0:v1:ready`. */
const statefulSets: StoryKind = {
  resource: "statefulsets.apps",
  nameOf: ({ metadata }) => metadata.name.replace("db-", ""),
  describe: (object, pods) => {
    const { status } = object as StatefulSet
    const { readyReplicas, availableReplicas, currentReplicas, updatedReplicas } = status
    const counts = countsText({
      ready: readyReplicas,
      available: availableReplicas,
      current: currentReplicas,
      updated: updatedReplicas
    })
    const texts = [...pods]
      .sort((a, b) => a.metadata.name.localeCompare(b.metadata.name))
      .map((pod) => {
        const [, version = ""] = (pod.spec.containers[0]?.image ?? "").split(":")
        return `${statefulSets.nameOf(pod)}:${version}:${podText(pod)}`
      })
    return `${counts} | ${texts.join(" ")}`
  }
}

const template = (version: string) => ({
  metadata: { labels: { app: "db" } },
  spec: { containers: [{ name: "app", image: `db:${version}` }] }
})
const update = (version: string): string =>
  `set ${JSON.stringify({ template: { spec: { containers: [{ name: "app", image: `db:${version}` }] } } })}`

const aStatefulSet = (spec: object): Manifest =>
  ({
    apiVersion: "apps/v1",
    kind: "StatefulSet",
    metadata: { name: "db" },
    spec: {
      serviceName: "db",
      replicas: 3,
      podManagementPolicy: "Parallel",
      selector: { matchLabels: { app: "db" } },
      ...spec,
      template: template("v1")
    }
  }) as Manifest

interface Row {
  readonly why: string
  readonly spec: object
  readonly steps: ReadonlyArray<Step>
}

const partition = (count: number) => ({ updateStrategy: { rollingUpdate: { partition: count } } })
const run: Step = ["run all", "ready=3 available=3 current=3 updated=3 | 0:v1:ready 1:v1:ready 2:v1:ready"]

const rows: ReadonlyArray<Row> = [
  {
    why: "a partition keeps Pods below it, also those that come back, and new ones above it are new",
    spec: partition(2),
    steps: [
      ["create", "current=3 updated=3 | 0:v1:pending 1:v1:pending 2:v1:pending"],
      run,
      [update("v2"), "ready=2 available=2 current=2 updated=1 | 0:v1:ready 1:v1:ready 2:v2:pending"],
      ["reap 0", "ready=1 available=1 current=2 updated=1 | 0:v1:pending 1:v1:ready 2:v2:pending"],
      [
        'set {"replicas":5}',
        "ready=1 available=1 current=2 updated=3 | 0:v1:pending 1:v1:ready 2:v2:pending 3:v2:pending 4:v2:pending"
      ],
      [
        "run all",
        "ready=5 available=5 current=2 updated=3 | 0:v1:ready 1:v1:ready 2:v2:ready 3:v2:ready 4:v2:ready"
      ],
      [
        'set {"updateStrategy":{"rollingUpdate":{"partition":0}}}',
        "ready=4 available=4 current=1 updated=4 | 0:v1:ready 1:v2:pending 2:v2:ready 3:v2:ready 4:v2:ready"
      ]
    ]
  },
  {
    why: "a partition above replicas updates nothing",
    spec: partition(7),
    steps: [
      ["create", "current=3 updated=3 | 0:v1:pending 1:v1:pending 2:v1:pending"],
      run,
      [update("v2"), "ready=3 available=3 current=3 | 0:v1:ready 1:v1:ready 2:v1:ready"],
      ["reap 1", "ready=2 available=2 current=3 | 0:v1:ready 1:v1:pending 2:v1:ready"]
    ]
  },
  {
    why: "Parallel updates one Pod at a time, too, and waits for each",
    spec: {},
    steps: [
      ["create", "current=3 updated=3 | 0:v1:pending 1:v1:pending 2:v1:pending"],
      run,
      [update("v2"), "ready=2 available=2 current=2 updated=1 | 0:v1:ready 1:v1:ready 2:v2:pending"],
      ["delete 0", "ready=1 available=1 current=1 updated=2 | 0:v2:pending 1:v1:ready 2:v2:pending"],
      ["run 2", "ready=1 available=1 updated=3 | 0:v2:pending 1:v2:pending 2:v2:ready"]
    ]
  },
  {
    why: "OnDelete updates the Pods that are deleted",
    spec: { updateStrategy: { type: "OnDelete" } },
    steps: [
      ["create", "current=3 updated=3 | 0:v1:pending 1:v1:pending 2:v1:pending"],
      run,
      [update("v2"), "ready=3 available=3 current=3 | 0:v1:ready 1:v1:ready 2:v1:ready"],
      ["reap 1", "ready=2 available=2 current=2 updated=1 | 0:v1:ready 1:v2:pending 2:v1:ready"],
      ["run 1", "ready=3 available=3 current=2 updated=1 | 0:v1:ready 1:v2:ready 2:v1:ready"]
    ]
  },
  {
    why: "OrderedReady is stuck after a bad template, until its Pod is deleted",
    spec: { podManagementPolicy: "OrderedReady", replicas: 2 },
    steps: [
      ["create", "current=1 updated=1 | 0:v1:pending"],
      ["run 0", "ready=1 available=1 current=2 updated=2 | 0:v1:ready 1:v1:pending"],
      ["run 1", "ready=2 available=2 current=2 updated=2 | 0:v1:ready 1:v1:ready"],
      [update("v2"), "ready=1 available=1 current=1 updated=1 | 0:v1:ready 1:v2:pending"],
      [update("v3"), "ready=1 available=1 current=1 | 0:v1:ready 1:v2:pending"],
      ["reap 1", "ready=1 available=1 current=1 updated=1 | 0:v1:ready 1:v3:pending"],
      ["run 1", "ready=1 available=1 updated=2 | 0:v3:pending 1:v3:ready"]
    ]
  },
  {
    why: "minReadySeconds hold up the next Pod, up and down",
    spec: { podManagementPolicy: "OrderedReady", replicas: 2, minReadySeconds: 10 },
    steps: [
      ["create", "current=1 updated=1 | 0:v1:pending"],
      ["run 0", "ready=1 current=1 updated=1 | 0:v1:ready"],
      ["wait 5s", "ready=1 current=1 updated=1 | 0:v1:ready"],
      ["wait 2s", "ready=1 available=1 current=2 updated=2 | 0:v1:ready 1:v1:pending"],
      ["run 1", "ready=2 available=1 current=2 updated=2 | 0:v1:ready 1:v1:ready"],
      ['set {"replicas":1}', "ready=1 available=1 current=1 updated=1 | 0:v1:ready"],
      ["run 0", "ready=1 current=1 updated=1 | 0:v1:ready"]
    ]
  },
  {
    why: "other ordinals: the new ones come first, then the old ones go from the highest",
    spec: { podManagementPolicy: "OrderedReady", replicas: 2 },
    steps: [
      ["create", "current=1 updated=1 | 0:v1:pending"],
      ["run 0", "ready=1 available=1 current=2 updated=2 | 0:v1:ready 1:v1:pending"],
      ["run 1", "ready=2 available=2 current=2 updated=2 | 0:v1:ready 1:v1:ready"],
      [
        'set {"ordinals":{"start":2}}',
        "ready=2 available=2 current=3 updated=3 | 0:v1:ready 1:v1:ready 2:v1:pending"
      ],
      ["run 2", "ready=3 available=3 current=4 updated=4 | 0:v1:ready 1:v1:ready 2:v1:ready 3:v1:pending"],
      ["run 3", "ready=2 available=2 current=2 updated=2 | 2:v1:ready 3:v1:ready"]
    ]
  },
  {
    why: "scaled down in order: a Pod that is not ready holds up those above, and goes itself once they are gone",
    spec: { podManagementPolicy: "OrderedReady" },
    steps: [
      ["create", "current=1 updated=1 | 0:v1:pending"],
      ["run 0", "ready=1 available=1 current=2 updated=2 | 0:v1:ready 1:v1:pending"],
      ["run 1", "ready=2 available=2 current=3 updated=3 | 0:v1:ready 1:v1:ready 2:v1:pending"],
      ["run 2", "ready=3 available=3 current=3 updated=3 | 0:v1:ready 1:v1:ready 2:v1:ready"],
      ["start 0", "ready=2 available=2 current=3 updated=3 | 0:v1:running 1:v1:ready 2:v1:ready"],
      ['set {"replicas":1}', "ready=2 available=2 current=3 updated=3 | 0:v1:running 1:v1:ready 2:v1:ready"],
      ["start 1,2", "current=3 updated=3 | 0:v1:running 1:v1:running 2:v1:running"],
      ["run 0", "ready=1 available=1 current=3 updated=3 | 0:v1:ready 1:v1:running 2:v1:running"],
      ["run 2", "ready=1 available=1 current=1 updated=1 | 0:v1:ready"]
    ]
  }
]

describe("a StatefulSet", () => {
  it.each(rows)("$why", async ({ spec, steps }) => {
    expect(await playManualStory(statefulSets, aStatefulSet(spec), { steps })).toEqual(steps)
  })
})
