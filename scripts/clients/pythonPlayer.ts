import { join } from "node:path"
import { firstLine, runCommand } from "./attempts.ts"
import type { Attempt, Report } from "./attempts.ts"

const client = "python3-kubernetes"
/** Debian's own Python: its packages are not for another one on the PATH. */
const python = "/usr/bin/python3"

/** Returns the version, undefined if the package is missing and cannot be installed, which needs root on Debian. */
const installPackage = async (environment: NodeJS.ProcessEnv): Promise<string | undefined> => {
  const printVersion = ["-c", "import kubernetes; print(kubernetes.__version__)"]
  const present = await runCommand(python, printVersion, environment)
  if (present.code === 0) return present.out.trim()
  await runCommand("apt-get", ["update"], environment)
  await runCommand("apt-get", ["install", "-y", client], environment)
  const installed = await runCommand(python, printVersion, environment)
  return installed.code === 0 ? installed.out.trim() : undefined
}

/** Plays typed lists of every class of the package, watches, and the life of a Deployment. */
export const playPython = async (environment: NodeJS.ProcessEnv, report: Report): Promise<void> => {
  const version = await installPackage(environment)
  if (version === undefined) {
    const detail = "apt-get install -y python3-kubernetes did not install it"
    return report({ client, what: "install", isOk: false, detail })
  }
  report({ client, what: "install", isOk: true, detail: version })
  const script = join(import.meta.dirname, "pythonClient.py")
  const { code, out, errors } = await runCommand(python, [script], environment)
  for (const line of out.split("\n").filter((it) => it !== "")) {
    const attempt: Omit<Attempt, "client"> = JSON.parse(line)
    report({ client, ...attempt })
  }
  if (code !== 0) report({ client, what: "the whole script", isOk: false, detail: lastLine(errors) })
}

const lastLine = (text: string): string => firstLine(text.trim().split("\n").at(-1) ?? "")
