// npx vitest run scripts/examples/vitest.test.ts
//
// The same tests against a real cluster, each in a namespace of its own that is deleted at the end:
// CHARTHOUSE_USE_KUBECONFIG=1 npx vitest run scripts/examples/vitest.test.ts     (or the path of a kubeconfig)
import { readFileSync } from "node:fs"
import { AppsV1Api, KubeConfig } from "@kubernetes/client-node"
import { refuse } from "charthouse"
import { usesRealCluster } from "charthouse/testing"
import { test } from "charthouse/vitest"
import { expect, vi } from "vitest"

// Vitest gives a test 5 s; on a real cluster `consistently` alone takes as long, and `eventually` up to a minute.
if (usesRealCluster()) vi.setConfig({ testTimeout: 120_000 })

const manifest = (name: string): string => readFileSync(new URL(name, import.meta.url), "utf8")
const web = { resource: "deployments.apps", name: "web" } as const

test("an update never takes more than one Pod away", async ({ cluster, object, consistently }) => {
  await cluster.apply(manifest("web-v1.yaml"))
  await expect(cluster).toRollOut("web")
  await cluster.apply(manifest("web-v2.yaml"))
  // Every moment of the next minute is looked at; on the cluster's own clock that takes milliseconds.
  await consistently(async () => {
    const { status } = await object(web)()
    expect(status.availableReplicas).toBeGreaterThanOrEqual(4)
  })
  await expect(object(web)).toEventuallyMatch({ status: { updatedReplicas: 5, readyReplicas: 5 } })
})

/** The program under test: scales with its own Kubernetes client, and retries a conflict. */
const scaleTo = async (kubeconfigFile: string, namespace: string, replicas: number): Promise<void> => {
  const config = new KubeConfig()
  config.loadFromFile(kubeconfigFile)
  const api = config.makeApiClient(AppsV1Api)
  const named = { name: "web", namespace }
  for (let tries = 3; ; tries -= 1) {
    const scale = await api.readNamespacedDeploymentScale(named)
    try {
      await api.replaceNamespacedDeploymentScale({
        ...named,
        body: Object.assign(scale, { spec: { replicas } })
      })
      return
    } catch (error) {
      const isConflict = error instanceof Error && "code" in error && error.code === 409
      if (!isConflict || tries === 1) throw error
    }
  }
}

test("the program scales, whatever it is told first", async ({ cluster, served, object }) => {
  await cluster.apply(manifest("web-v1.yaml"))
  // Only a simulated cluster can be made to refuse an update.
  if (!cluster.isReal) {
    cluster.intercept(
      { verb: "update", resource: "deployments.apps", subresource: "scale", times: 2 },
      refuse(409)
    )
  }
  await scaleTo(served.kubeconfigFile(), cluster.namespace, 7)
  await expect(object(web)).toEventuallyMatch({ status: { readyReplicas: 7 } })
  if (cluster.isReal) return
  const updates = cluster.requests.all({ verb: "update", name: "web" })
  expect(updates.map(({ code }) => code)).toEqual([409, 409, 200])
})
