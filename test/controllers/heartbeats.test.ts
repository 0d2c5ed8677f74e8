import * as Effect from "effect/Effect"
import { expect, it } from "vitest"
import { advanceMillis, withCluster } from "../cluster/testCluster.ts"
import { resources } from "../../src/kubernetes/meta/kinds.ts"
import type { Lease } from "kubernetes-types/coordination/v1.js"

it("a heartbeat is a write of the node's controller that every watcher sees, and that a fault can refuse", () =>
  withCluster({ nodes: 1 }, (cluster) =>
    Effect.gen(function* () {
      const renewals: Array<string> = []
      cluster.onChange(resources.leases, ({ object }, writer) => {
        const { spec } = object as Lease
        renewals.push(`${writer} ${spec?.renewTime} at version ${object.metadata.resourceVersion}`)
      })
      const version = cluster.view.version()
      yield* advanceMillis(cluster, 20_000)
      expect(renewals).toEqual([
        `node 2026-01-01T00:00:10.000000Z at version ${version + 1}`,
        `node 2026-01-01T00:00:20.000000Z at version ${version + 2}`
      ])
      yield* cluster.fault({ fault: "writesRefused", of: "node", code: 500 })
      yield* advanceMillis(cluster, 20_000)
      expect(renewals).toHaveLength(2)
    })
  ))
