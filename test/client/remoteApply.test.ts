import { expect, it } from "vitest"
import { openRemoteCluster } from "../../src/client/remoteCluster.ts"
import { ManifestsRefused } from "../../src/manifests/manifestsRefused.ts"
import { startCluster } from "../../src/testing/testing.ts"
import { configMap, web } from "../server/traffic/recordedTraffic.ts"

const bounds = (hard: Readonly<Record<string, string>>) => ({
  apiVersion: "v1",
  kind: "ResourceQuota",
  metadata: { name: "bounds", namespace: "default" },
  spec: { hard }
})

it("a remote apply that is refused midway reports the documents applied before", async () => {
  await using world = await startCluster({ serve: true })
  const remote = await openRemoteCluster({ kubeconfig: world.kubeconfigFile() })
  await remote.apply(configMap("a", { size: "1" }))
  const manifests = [
    web(2),
    configMap("a", { size: "2" }),
    bounds({ "count/configmaps": "1" }),
    configMap("b"),
    configMap("c")
  ]
  const refused = await remote.apply(manifests).catch((error: unknown) => error)
  expect(refused).toBeInstanceOf(ManifestsRefused)
  expect(refused).toHaveProperty("problems.length", 1)
  expect(String(refused)).toMatch(
    /document 4\): .*configmaps "b" is forbidden: exceeded quota: bounds, .*\napplied before that, and still there:\n {2}deployment.apps\/web created\n {2}configmap\/a configured\n {2}resourcequota\/bounds created$/
  )
  const kept = await remote.list("configmaps", { namespace: "default" })
  expect(kept.items.map(({ metadata: { name } }) => name)).toEqual(["a", "kube-root-ca.crt"])
  remote.close()
})

it("a remote apply applies nothing when a dry run refuses a document", async () => {
  await using world = await startCluster({ serve: true })
  const remote = await openRemoteCluster({ kubeconfig: world.kubeconfigFile() })
  await remote.apply(bounds({ "count/deployments.apps": "0" }))
  const refused = await remote.apply([configMap("a"), web(2)]).catch((error: unknown) => error)
  expect(refused).not.toHaveProperty("applied")
  expect(String(refused)).toMatch(
    /document 2\): .*exceeded quota: bounds, .* limited: count\/deployments.apps=0$/
  )
  await expect(remote.get({ resource: "configmaps", name: "a" })).rejects.toThrow("not found")
  remote.close()
})
