import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it } from "vitest"
import { openCluster } from "../../../src/cluster/openCluster.ts"
import { charthouse, deploymentYaml } from "../harness/charthouse.ts"

const claim = (storage: string) =>
  `{ apiVersion: v1, kind: PersistentVolumeClaim, metadata: { name: data }, spec: { accessModes: [ReadWriteOnce], resources: { requests: { storage: ${storage} } }, storageClassName: CLASS } }`
const classText = (name: string, mayGrow: boolean) =>
  `{ apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: { name: ${name} }, provisioner: rancher.io/local-path, volumeBindingMode: WaitForFirstConsumer, allowVolumeExpansion: ${mayGrow} }`
const claiming = (image: string) =>
  deploymentYaml({
    replicas: 1,
    image,
    more: "      volumes: [{ name: data, persistentVolumeClaim: { claimName: data } }]"
  })
const refused = expect.stringContaining("the storageclass that provisions the pvc must support resize")

it.each([
  { name: "fast", mayGrow: true, why: undefined },
  { name: "fast", mayGrow: false, why: refused },
  { name: "standard", mayGrow: true, why: undefined },
  { name: "standard", mayGrow: false, why: refused }
])("a claim grows if class $name of the live cluster lets it: $mayGrow", async ({ name, mayGrow, why }) => {
  const folder = mkdtempSync(join(tmpdir(), "plan-growth-"))
  await using cluster = await openCluster({})
  const before = [classText(name, mayGrow), claim("1Gi").replace("CLASS", name), claiming("app:1")]
  await cluster.apply(before.join("\n---\n"))
  await cluster.rollout("web")
  writeFileSync(join(folder, "config"), (await cluster.serve()).kubeconfig)
  const { stdout, stderr } = await charthouse(
    ["plan", "-f", "next.yaml", "--kubeconfig", join(folder, "config"), "--seeds", "1", "-o", "json"],
    { "next.yaml": [claim("2Gi").replace("CLASS", name), claiming("app:2")].join("\n---\n") }
  )
  rmSync(folder, { recursive: true })
  const { refused: refusals = [] } = JSON.parse(stdout)
  expect(refusals.map(({ message }: { message: string }) => message)).toEqual(why === undefined ? [] : [why])
  expect(stderr).not.toContain("it is assumed to let claims grow")
})
