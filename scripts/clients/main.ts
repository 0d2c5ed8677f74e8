import { spawn } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { createInterface } from "node:readline"
import { findHelm, findKubectls } from "../kubectl.ts"
import { playAnsible } from "./ansiblePlayer.ts"
import { playHelm } from "./helmPlayer.ts"
import { playKubectl } from "./kubectlPlayer.ts"
import { playPython } from "./pythonPlayer.ts"
import type { Report } from "./attempts.ts"

/**
 * Installs foreign clients and plays them against `charthouse up`: a line for each thing tried, and exit code 1 if
 * anything failed or a client could not be installed.
 *
 *     $ npm run clients
 *     ok    kubectl v1.36.3     apply -f objects.yaml: namespace/shop created
 */
const command = resolve(import.meta.dirname, "../../src/cli/main.ts")
const home = mkdtempSync(join(tmpdir(), "charthouse-clients-"))
const kubeconfig = join(home, "config")
const environment = { ...process.env, KUBECONFIG: kubeconfig, HOME: home }

const server = spawn(process.execPath, [command, "up", "--output", "events", "--kubeconfig", kubeconfig], {
  stdio: ["ignore", "pipe", "inherit"],
  env: environment
})

const waitForServer = async (): Promise<void> => {
  for await (const line of createInterface({ input: server.stdout })) {
    if (line.includes("kubectl's context is")) return
  }
  throw new Error("charthouse up ended before it served")
}

let failures = 0
let attempts = 0
const report: Report = ({ client, what, isOk, detail }) => {
  attempts += 1
  if (!isOk) failures += 1
  console.log(`${isOk ? "ok  " : "FAIL"}  ${client.padEnd(18)}  ${what}: ${detail}`)
}

try {
  await waitForServer()
  server.stdout.resume()
  const { found, missing } = await findKubectls(process.env)
  for (const why of missing) report({ client: "kubectl", what: "install", isOk: false, detail: why })
  const [current, ...older] = found
  if (current !== undefined) await playKubectl(current, environment, report)
  // Lists the objects that kubectl has left.
  await playPython(environment, report)
  await playHelm(await findHelm(), environment, report)
  await playAnsible(environment, report)
  for (const kubectl of older) await playKubectl(kubectl, environment, report)
} finally {
  server.kill()
  rmSync(home, { recursive: true, force: true })
}
console.log(`${attempts} things tried, ${failures} failed`)
process.exitCode = failures === 0 ? 0 : 1
