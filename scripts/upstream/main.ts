import { spawnSync } from "node:child_process"
import { existsSync } from "node:fs"
import { resolve } from "node:path"
import { parseArgs } from "node:util"
import { killLoop } from "./killLoop.ts"

/**
 * Runs the suite of `charthouse steer` against a real control plane, then rollouts during which its processes are
 * killed. Exits 2 when there is no such cluster, and 1 when something was lost.
 */

const usage = `npm run upstream -- --kubeconfig FILE [--rollouts N] [--deployments N] [--leads SECONDS]
                                               [--only suite|kills] [--seed N]

  --kubeconfig FILE  a cluster whose namespaces may be created and deleted ($CHARTHOUSE_UPSTREAM_KUBECONFIG by default).
                     It needs a real kube-apiserver and kube-controller-manager, and kubelets that honour readiness
                     gates: hollow ones will do. Images with "bad" in their name must not be pulled.
  --rollouts N       rollouts during which the steering processes are killed (SIGKILL) at random times; 100 by default
  --deployments N    how many Deployments are rolled out at a time; 20 by default
  --leads SECONDS    the longest time that a process leads before it is killed; 6 by default
  --only PART        suite: the suite alone; kills: those rollouts alone
  --seed N           of the random times; 1 by default
`

const refuse = (why: string): never => {
  process.stderr.write(`upstream: ${why}\n\n${usage}`)
  process.exit(2)
}

const readArguments = () => {
  try {
    return parseArgs({
      options: {
        kubeconfig: { type: "string" },
        rollouts: { type: "string", default: "100" },
        deployments: { type: "string", default: "20" },
        leads: { type: "string", default: "6" },
        only: { type: "string" },
        seed: { type: "string", default: "1" }
      }
    }).values
  } catch (error) {
    return refuse((error as Error).message)
  }
}

const values = readArguments()
const givenKubeconfig = values.kubeconfig ?? process.env["CHARTHOUSE_UPSTREAM_KUBECONFIG"]
if (givenKubeconfig === undefined) refuse("there is no real cluster: none was named")
const kubeconfig = resolve(givenKubeconfig ?? "")
if (!existsSync(kubeconfig)) refuse(`there is no real cluster: ${kubeconfig} does not exist`)
const readCount = (name: "rollouts" | "deployments" | "leads"): number => {
  const count = Number(values[name])
  if (!Number.isSafeInteger(count) || count < 1) refuse(`--${name} ${values[name]}: not a number above 0`)
  return count
}
const [rollouts, deployments] = [readCount("rollouts"), readCount("deployments")]
const leadsMaxMillis = readCount("leads") * 1000
const seed = Number(values.seed)
if (!Number.isSafeInteger(seed)) refuse(`--seed ${values.seed}: not a whole number`)
if (values.only !== undefined && !["suite", "kills"].includes(values.only))
  refuse(`--only ${values.only}: not suite or kills`)

const suite = ["steering", "handOver", "rights", "readme"]

if (values.only !== "kills") {
  const { status } = spawnSync(
    process.execPath,
    ["node_modules/vitest/vitest.mjs", "run", ...suite.map((name) => `test/steer/${name}.test.ts`)],
    {
      cwd: resolve(import.meta.dirname, "../.."),
      stdio: "inherit",
      env: { ...process.env, CHARTHOUSE_UPSTREAM_KUBECONFIG: kubeconfig }
    }
  )
  if (status !== 0) process.exit(1)
}
if (values.only !== "suite" && !(await killLoop({ kubeconfig, rollouts, deployments, leadsMaxMillis, seed })))
  process.exitCode = 1
