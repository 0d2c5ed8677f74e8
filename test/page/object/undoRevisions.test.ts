import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { createObject, deploymentManifest, replaceSpec } from "../../cluster/testCluster.ts"
import { entriesOf, seriesOf } from "../clusterEntries.ts"
import {
  likeliestUndo,
  ownRevisions,
  undoRevisions,
  undoRevisionText
} from "../../../src/page/object/undoRevisions.ts"
import type { Deployment, KubeObject, ReplicaSet } from "../../../src/kubernetes/meta/objects.ts"
import type { ObjectEntry } from "../../../src/recording/entry.ts"

/** Version v1 becomes complete; v2 and v3 cannot be pulled, and v4 replaces them before anything else happens. */
const { entries } = await entriesOf({ seed: 5 }, (cluster) =>
  Effect.gen(function* () {
    yield* createObject(cluster, deploymentManifest({ replicas: 3, version: "v1" }))
    yield* cluster.settle()
    for (const version of ["not a name:v2", "not a name:v3", "v4"]) {
      const container = version.startsWith("not") ? { image: version } : {}
      yield* replaceSpec(cluster, deploymentManifest({ replicas: 3, version, container }))
      yield* cluster.advance(2000)
    }
  })
)

/** The last versions of the objects of a resource. */
const latest = (resource: string): ReadonlyArray<KubeObject> => {
  const objects = entries.filter((entry) => entry.resource === resource).map(({ object }) => object)
  return [...new Map(objects.map((object) => [object.metadata.uid, object])).values()]
}

const offered = (seen: ReadonlyArray<ObjectEntry>) => {
  const [deployment] = latest("deployments") as ReadonlyArray<Deployment>
  if (deployment === undefined) throw new Error("there is no Deployment")
  const address = { kind: "Deployment", namespace: "default", name: "web" } as const
  const rows = seriesOf(seen).trackOf(address)?.rows ?? []
  const replicaSets = latest("replicasets") as ReadonlyArray<ReplicaSet>
  const fleet = {
    replicaSets: new Map(replicaSets.map((it) => [it.metadata.uid, it])),
    revisions: new Map()
  }
  return undoRevisions(ownRevisions(deployment, fleet), rows)
}

describe("the revisions to go back to", () => {
  it("are all but the present one, with whether each was complete", () => {
    expect(offered(entries).map(undoRevisionText)).toEqual([
      "3: not a name:v3, never complete",
      "2: not a name:v2, never complete",
      "1: registry.example/app:v1, was complete"
    ])
  })

  it("do not say so of a revision from before the recording", () => {
    const since = entries.findIndex(({ object }) => JSON.stringify(object).includes("not a name:v3"))
    expect(offered(entries.slice(since)).at(-1)).toMatchObject({ revision: 1, wasComplete: undefined })
  })

  it("begin with the newest that was complete, else with one that is not known to have failed", () => {
    expect(likeliestUndo(offered(entries))?.revision).toBe(1)
    const unknown = offered(entries).filter(({ wasComplete }) => wasComplete !== true)
    expect(likeliestUndo([...unknown, { revision: 0, images: "", wasComplete: undefined }])?.revision).toBe(0)
    expect(likeliestUndo(unknown)?.revision).toBe(3)
    expect(likeliestUndo([])).toBeUndefined()
  })
})
