import * as Effect from "effect/Effect"
import { expect, it } from "vitest"
import { aDeployment, aReplicaSet } from "../../builders.ts"
import { withCluster } from "../../cluster/testCluster.ts"
import { faultSchemas } from "../../../src/faults/schemas/faultSchemas.ts"
import { kindOf } from "../../../src/faults/kinds/faultKinds.ts"
import { makeLedger } from "../../../src/scenario/ledger/ledger.ts"
import { makeStoryFaults } from "../../../src/scenario/stories/playing/storyFaults.ts"
import { resources } from "../../../src/kubernetes/meta/kinds.ts"
import type { Fault } from "../../../src/faults/fault.ts"

/** A fault of every kind that names a controller, whether it alone or as one of the parties. */
const faultsOfControllers = Object.entries(faultSchemas)
  .filter(([, { fields }]) => "controller" in fields || "of" in fields)
  // What else such a fault needs does not matter here.
  .map(([fault]) => ({ fault, controller: "replicaSet", of: "replicaSet" }) as object as Fault)

/** The violations of a Deployment controller that exceeds the ceiling after a fault of a story. */
const blamedAfter = (fault: Fault) =>
  withCluster({}, (cluster) =>
    Effect.gen(function* () {
      const deployment = aDeployment({ replicas: 2, surge: 1, unavailable: 0 })
      const of = (replicas: number) => aReplicaSet({ replicas, owner: deployment })
      const ledger = makeLedger()
      const nowMillis = cluster.nowMillis()
      const added = { type: "ADDED", old: undefined, resourceVersion: 1 } as const
      ledger.observe({ ...added, resource: resources.deployments, object: deployment }, nowMillis)
      ledger.observe({ ...added, resource: resources.replicaSets, object: of(2) }, nowMillis)
      const begins = { cluster, ledger, story: {}, seed: 1, beginMillis: () => nowMillis }
      yield* Effect.ignore(makeStoryFaults(begins).begin(fault))
      const grown = { type: "MODIFIED", old: of(2), object: of(9), resourceVersion: 2 } as const
      ledger.observe({ ...grown, resource: resources.replicaSets }, nowMillis, "deployment")
      return ledger.violations().map(({ rule }) => rule)
    })
  )

it.each<{ readonly why: string; readonly fault: Fault; readonly blamed: boolean }>([
  {
    why: "a late watch of its own",
    fault: { fault: "watchLate", of: "deployment", by: "2s" },
    blamed: false
  },
  {
    why: "dropped watches of all controllers",
    fault: { fault: "watchDropped", of: "controllers" },
    blamed: false
  },
  { why: "a late watch of kubelets", fault: { fault: "watchLate", of: "pod", by: "2s" }, blamed: true },
  {
    why: "stale reads of the ReplicaSet controller",
    fault: { fault: "staleReads", of: "replicaSet" },
    blamed: true
  },
  { why: "stale reads of clients", fault: { fault: "staleReads", of: "clients" }, blamed: true },
  {
    why: "a refused fault",
    fault: { fault: "staleReads", of: "deployment", reads: "all" },
    blamed: true
  },
  {
    why: "refused writes of the ReplicaSet controller",
    fault: { fault: "writesRefused", of: "replicaSet", code: 429 },
    blamed: true
  },
  {
    why: "its own refused writes",
    fault: { fault: "writesRefused", of: "deployment", code: 429 },
    blamed: false
  }
])("the Deployment controller is blamed after $why: $blamed", async ({ fault, blamed }) => {
  expect(await blamedAfter(fault)).toEqual(blamed ? ["ceiling"] : [])
})

it.for(faultsOfControllers)("every fault of a controller excuses that controller: $fault", (fault) => {
  expect(kindOf(fault).ledgerExcuse?.(fault)).toMatchObject({ controller: "replicaSet" })
})
