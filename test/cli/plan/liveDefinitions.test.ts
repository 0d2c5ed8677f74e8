import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it, onTestFinished } from "vitest"
import { openCluster } from "../../../src/cluster/openCluster.ts"
import { charthouse, deploymentYaml } from "../harness/charthouse.ts"
import { shop, shopDefinition } from "./shops.ts"

it.each([
  {
    why: "the cluster has its definition",
    present: shopDefinition(),
    more: ", singular: A_Shop",
    refused: []
  },
  { why: "the cluster has its definition", present: shopDefinition(), more: ", shortNames: 7", refused: [] },
  { why: "the cluster has none", present: "", more: ", singular: A_Shop", refused: ["Shop"] }
])("a live plan refuses a custom resource of an invalid definition$more: $why", async (row) => {
  const folder = mkdtempSync(join(tmpdir(), "plan-definitions-"))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  await using cluster = await openCluster()
  if (row.present !== "") await cluster.apply(row.present)
  const served = await cluster.serve()
  writeFileSync(join(folder, "config"), served.kubeconfig)
  const args = [
    "plan",
    "-f",
    "all.yaml",
    "--kubeconfig",
    join(folder, "config"),
    "--seeds",
    "1",
    "--what-if",
    "none"
  ]
  const files = { "all.yaml": [shopDefinition(row.more), shop, deploymentYaml()].join("\n---\n") }
  const { code, stdout } = await charthouse([...args, "-o", "json"], files)
  const kinds = JSON.parse(stdout).refused.map(({ kind }: { readonly kind: string }) => kind)
  expect({ code, kinds }).toEqual({ code: 2, kinds: ["CustomResourceDefinition", ...row.refused] })
})
