import { expect, it } from "vitest"
import { openCluster } from "../../../src/cluster/openCluster.ts"
import { budgetManifest, deploymentManifest } from "../../builders.ts"
import type { Behaviour } from "../../../src/behaviours/behaviour.ts"
import type { OpenCluster } from "../../../src/cluster/openCluster.ts"
import type { ClusterOptions } from "../../../src/cluster/clusterOptions.ts"
import type { Manifest } from "../../../src/kubernetes/meta/objects.ts"

/** A Pod that is created at c is ready at c+5, and gone 3 s after its deletion. */
const fixed: Behaviour = {
  name: "fixed",
  schedule: "0s",
  pull: { delay: "0s" },
  start: "1s",
  ready: "4s",
  terminate: "3s"
}
const neverReady: Behaviour = { ...fixed, name: "never", match: { image: "*:v2" }, ready: "100h" }

type Action = (cluster: OpenCluster) => Promise<unknown>

const address = { resource: "deployments.apps", name: "web" } as const
const change =
  (spec: object): Action =>
  (cluster) =>
    cluster.patch(address, { spec })
const roll =
  (version: string): Action =>
  (cluster) =>
    cluster.patch(address, {
      spec: {
        template: { spec: { containers: [{ name: "app", image: `registry.example/app:${version}` }] } }
      }
    })
const drain =
  (node: string): Action =>
  (cluster) =>
    cluster.fault({ fault: "nodeDrained", node })

interface Row {
  readonly replicas: number
  readonly maxSurge?: number
  readonly maxUnavailable?: number
  readonly options?: Partial<ClusterOptions>
  readonly beside?: ReadonlyArray<Manifest>
  readonly actions: ReadonlyArray<readonly [second: number, action: Action]>
  /** Of each ReplicaSet: its version, how many Pods are asked for, and how many are available. */
  readonly computed: ReadonlyArray<readonly [second: number, replicaSets: string]>
}

const budget = budgetManifest({ minAvailable: 2 })

const rows: ReadonlyArray<readonly [what: string, row: Row]> = [
  [
    "a pause from 7 to 20",
    {
      replicas: 6,
      actions: [
        [0, roll("v2")],
        [7, change({ paused: true })],
        [20, change({ paused: false })]
      ],
      computed: [
        [0, "v1 6/6, v2 1/0"],
        [5, "v1 5/5, v2 2/1"],
        [10, "v1 5/5, v2 2/2"],
        [20, "v1 4/4, v2 3/2"],
        [25, "v1 3/3, v2 4/3"],
        [30, "v1 2/2, v2 5/4"],
        [35, "v1 1/1, v2 6/5"],
        [40, "v1 0/0, v2 6/6"]
      ]
    }
  ],
  [
    "a rollback at 7: both Pods that are not ready go first, then those that leave 3 available",
    {
      replicas: 4,
      maxUnavailable: 1,
      actions: [
        [0, roll("v2")],
        [7, roll("v1")]
      ],
      computed: [
        [0, "v1 3/3, v2 2/0"],
        [5, "v1 1/1, v2 4/2"],
        [7, "v1 3/1, v2 2/2"],
        [12, "v1 4/3, v2 0/0"],
        [17, "v1 4/4, v2 0/0"]
      ]
    }
  ],
  [
    "another template at 3: the Pods of the one before, none of them available, go first",
    {
      replicas: 5,
      maxSurge: 2,
      actions: [
        [0, roll("v2")],
        [3, roll("v3")]
      ],
      computed: [
        [0, "v1 5/5, v2 2/0"],
        [3, "v1 5/5, v2 0/0, v3 2/0"],
        [8, "v1 3/3, v2 0/0, v3 4/2"],
        [13, "v1 1/1, v2 0/0, v3 5/4"],
        [18, "v1 0/0, v2 0/0, v3 5/5"]
      ]
    }
  ],
  [
    // From 13 to 18: 8*18/13 = 11.1, 5*18/13 = 6.9. From 18 to 9: 11/2 = 5.5, so 6, and 7/2 = 3.5, so 4: one too many,
    // which the larger one loses, 5; then one old Pod goes for a new one.
    "10 to 15 at 60 and to 6 at 120, while the new Pods never become ready",
    {
      replicas: 10,
      maxSurge: 3,
      maxUnavailable: 2,
      options: { behaviours: [neverReady] },
      actions: [
        [0, roll("v2")],
        [60, change({ replicas: 15 })],
        [120, change({ replicas: 6 })]
      ],
      computed: [
        [0, "v1 8/8, v2 5/0"],
        [60, "v1 11/8, v2 7/0"],
        [65, "v1 11/11, v2 7/0"],
        [120, "v1 4/4, v2 5/0"]
      ]
    }
  ],
  [
    "a drain of two Pods with a budget of one: the second leaves when the first is replaced, at 5",
    {
      replicas: 3,
      options: { nodes: 2 },
      beside: [budget],
      actions: [[0, drain("node-1")]],
      computed: [
        [0, "v1 3/2"],
        [4, "v1 3/2"],
        [5, "v1 3/2"],
        [10, "v1 3/3"]
      ]
    }
  ],
  [
    "a node that is lost: not ready 50 s after its last heartbeat, at 5; its Pod replaced 300 s later",
    {
      replicas: 3,
      actions: [[5, (cluster) => cluster.fault({ fault: "nodeLost", node: "node-2" })]],
      computed: [
        [54, "v1 3/3"],
        [55, "v1 3/2"],
        [359, "v1 3/2"],
        [360, "v1 3/3"]
      ]
    }
  ]
]

const sizesIn = async (cluster: OpenCluster): Promise<string> => {
  const { items } = await cluster.list("replicasets.apps")
  return items
    .map(({ spec, status }) => {
      const [, version] = spec.template.spec?.containers[0]?.image?.split(":") ?? []
      return `${version} ${spec.replicas}/${status.availableReplicas ?? 0}`
    })
    .sort()
    .join(", ")
}

it.each(rows)("computed by hand: %s", async (_what, row) => {
  const { replicas, maxSurge = 1, maxUnavailable = 0, options, beside = [], actions, computed } = row
  await using cluster = await openCluster({ behaviour: fixed, ...options })
  const manifest = deploymentManifest({
    replicas,
    spec: { strategy: { rollingUpdate: { maxSurge, maxUnavailable } } }
  })
  await cluster.apply([manifest, ...beside])
  await cluster.settle()
  const seconds = [...new Set([...actions, ...computed].map(([second]) => second))].sort((a, b) => a - b)
  const played: Array<readonly [second: number, replicaSets: string]> = []
  let now = 0
  for (const second of seconds) {
    await cluster.advance((second - now) * 1000)
    now = second
    for (const [, action] of actions.filter(([at]) => at === second)) await action(cluster)
    await cluster.advance(0)
    if (computed.some(([at]) => at === second)) played.push([second, await sizesIn(cluster)])
  }
  expect(played).toEqual(computed)
})
