import { describe, expect, it } from "vitest"
import { isInShard } from "../../src/steer/steerOptions.ts"
import { openCluster } from "../../src/cluster/openCluster.ts"
import { readManifests } from "../../src/manifests/readManifests.ts"
import { steerManifests } from "../../src/steer/steerManifests.ts"
import type { SteerManifestsOptions } from "../../src/steer/steerManifests.ts"

const options: SteerManifestsOptions = { namespace: "charthouse", image: "registry.example/charthouse:1" }

const objectsOf = (changes: Partial<SteerManifestsOptions>) => {
  const { documents, problems } = readManifests(
    [{ name: "manifests", text: steerManifests({ ...options, ...changes }) }],
    { strict: true }
  )
  expect(problems).toEqual([])
  return documents.map(({ draft }) => draft)
}
const namesOf = (changes: Partial<SteerManifestsOptions>): ReadonlyArray<string> =>
  objectsOf(changes).map(({ kind, metadata }) => `${kind} ${metadata.namespace ?? ""}/${metadata.name ?? ""}`)

/** `GROUP/RESOURCE: VERBS` of all Roles. */
const rightsOf = (changes: Partial<SteerManifestsOptions>): ReadonlyArray<string> =>
  objectsOf(changes)
    .filter(({ kind }) => kind.endsWith("Role"))
    .flatMap((role) => {
      const { rules } = role as unknown as {
        readonly rules: ReadonlyArray<
          Readonly<Record<"apiGroups" | "resources" | "verbs", ReadonlyArray<string>>>
        >
      }
      return rules.flatMap(({ apiGroups, resources, verbs }) =>
        resources.map((resource) => `${apiGroups.join()}/${resource}: ${verbs.join(",")}`)
      )
    })

describe("the manifests of the controller", () => {
  it("are accepted as they are, and have two replicas", async () => {
    await using cluster = await openCluster({ seed: 1 })
    await cluster.apply(steerManifests(options))
    await cluster.advance("1m")
    const { spec } = await cluster.get({
      resource: "deployments.apps",
      namespace: "charthouse",
      name: "charthouse-steer"
    })
    expect(spec.replicas).toBe(2)
  })

  it("give a Role in each namespace that is named, and no right outside of them", () => {
    const names = namesOf({ namespaces: ["shop", "blog"] })
    expect(names.filter((it) => it.includes("Role"))).toEqual([
      "Role shop/charthouse-steer",
      "RoleBinding shop/charthouse-steer",
      "Role blog/charthouse-steer",
      "RoleBinding blog/charthouse-steer",
      "Role charthouse/charthouse-steer-lease",
      "RoleBinding charthouse/charthouse-steer-lease"
    ])
  })

  it("give no right to create or delete a Pod, to change its spec, or to read a Secret: it deletes Jobs alone", () => {
    const rights = rightsOf({})
    expect(rights.filter((it) => it.startsWith("/pods"))).toEqual([
      "/pods: get,list,watch",
      "/pods/status: update"
    ])
    expect(rights.filter((it) => /secrets|\*|patch|delete/u.test(it))).toEqual(["batch/jobs: create,delete"])
  })

  it("give the right to read alone in shadow mode", () => {
    expect(rightsOf({ isShadow: true }).filter((it) => !it.endsWith(": get,list,watch"))).toEqual([])
  })

  it("have a Deployment for each shard, and each shard a Lease", () => {
    expect(namesOf({ shards: 2 }).filter((it) => it.startsWith("Deployment"))).toEqual([
      "Deployment charthouse/charthouse-steer-0",
      "Deployment charthouse/charthouse-steer-1"
    ])
  })
})

describe("the path of a module of steering charts", () => {
  it("is an argument of the controller", () => {
    expect(steerManifests({ ...options, strategies: "/charts/mine.ts" })).toContain(
      "- --strategies=/charts/mine.ts"
    )
  })
})

describe("shards", () => {
  it("have every namespace once, and share them out", () => {
    const namespaces = Array.from({ length: 300 }, (_, index) => `team-${index}`)
    const counts = [0, 1, 2].map(
      (index) => namespaces.filter((it) => isInShard(it, { index, count: 3 })).length
    )
    expect(counts.reduce((sum, count) => sum + count)).toBe(300)
    expect(Math.min(...counts)).toBeGreaterThan(70)
  })
})
