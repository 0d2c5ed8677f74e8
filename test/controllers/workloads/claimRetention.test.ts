import { expect, it } from "vitest"
import { everyWorkload } from "./everyWorkload.ts"
import { openCluster } from "../../../src/cluster/openCluster.ts"

/** The StatefulSet `db`: three Pods with a claim each. */
const [database] = everyWorkload
const stuck = { name: "stuck", match: { name: "db-0" }, pull: { failures: "forever" } } as const

interface Row {
  readonly why: string
  readonly policy: object
  readonly parallel?: boolean
  readonly isStuck?: boolean
  /** The size it gets; undefined for its deletion. */
  readonly replicas?: number
  readonly claims: ReadonlyArray<string>
}

const rows: ReadonlyArray<Row> = [
  {
    why: "all stay by default, when it is scaled",
    policy: {},
    replicas: 1,
    claims: ["data-db-0", "data-db-1", "data-db-2"]
  },
  {
    why: "all stay by default, when it is deleted",
    policy: {},
    claims: ["data-db-0", "data-db-1", "data-db-2"]
  },
  { why: "those of surplus Pods go", policy: { whenScaled: "Delete" }, replicas: 1, claims: ["data-db-0"] },
  {
    why: "those of surplus Pods go, in parallel",
    policy: { whenScaled: "Delete" },
    parallel: true,
    replicas: 1,
    claims: ["data-db-0"]
  },
  {
    why: "those of surplus Pods go, others at its deletion",
    policy: { whenScaled: "Delete", whenDeleted: "Delete" },
    claims: []
  },
  { why: "all go with it", policy: { whenDeleted: "Delete" }, claims: [] },
  {
    why: "that of a Pod that never started goes with it",
    policy: { whenDeleted: "Delete" },
    isStuck: true,
    claims: []
  },
  {
    why: "they stay when it is scaled, though they would go with it",
    policy: { whenDeleted: "Delete" },
    replicas: 2,
    claims: ["data-db-0", "data-db-1", "data-db-2"]
  }
]

it.each(rows)("claims follow persistentVolumeClaimRetentionPolicy: $why", async (row) => {
  const { policy, parallel = false, isStuck = false, replicas, claims } = row
  await using cluster = await openCluster({ behaviours: isStuck ? [stuck] : [] })
  await cluster.create({
    ...database,
    spec: {
      ...database?.spec,
      persistentVolumeClaimRetentionPolicy: policy,
      podManagementPolicy: parallel ? "Parallel" : "OrderedReady"
    }
  } as NonNullable<typeof database>)
  await cluster.advance("1m")
  const address = { resource: "statefulsets.apps", name: "db" } as const
  if (replicas === undefined) await cluster.delete(address)
  else await cluster.patch(address, { spec: { replicas } })
  await cluster.advance("2m")
  const { items: pods } = await cluster.list("pods")
  expect(pods).toHaveLength(replicas ?? 0)
  const { items } = await cluster.list("persistentvolumeclaims")
  expect(items.map(({ metadata }) => metadata.name)).toEqual(claims)
})

it("a StatefulSet that grows again waits until the claims of its former Pods are gone", async () => {
  await using cluster = await openCluster({})
  await cluster.create({
    ...database,
    spec: { ...database?.spec, persistentVolumeClaimRetentionPolicy: { whenScaled: "Delete" } }
  } as NonNullable<typeof database>)
  await cluster.advance("1m")
  const uidsOf = async () =>
    (await cluster.list("persistentvolumeclaims")).items.map(({ metadata }) => metadata.uid)
  const before = await uidsOf()
  const address = { resource: "statefulsets.apps", name: "db" } as const
  await cluster.patch(address, { spec: { replicas: 1 } })
  await cluster.advance("500ms")
  await cluster.patch(address, { spec: { replicas: 3 } })
  await cluster.advance("5m")
  const after = await uidsOf()
  expect([after.length, after[0] === before[0]]).toEqual([3, true])
  expect((await cluster.get(address)).status).toMatchObject({ readyReplicas: 3 })
})
