import { join } from "node:path"
import { firstLine, runCommand } from "./attempts.ts"
import type { Report } from "./attempts.ts"

const client = "ansible"
const playbook = join(import.meta.dirname, "ansiblePlaybook.yaml")

/** As the callback `json` prints a run of ansible-playbook. */
interface PlaybookRun {
  readonly plays: ReadonlyArray<{
    readonly tasks: ReadonlyArray<{
      readonly task: { readonly name: string }
      readonly hosts: Readonly<Record<string, TaskResult>>
    }>
  }>
}

interface TaskResult {
  readonly failed?: boolean
  readonly changed?: boolean
  readonly msg?: unknown
}

/**
 * Returns the first line of `ansible --version`; undefined if Debian's package cannot be installed, which needs root.
 */
const installAnsible = async (environment: NodeJS.ProcessEnv): Promise<string | undefined> => {
  const askVersion = () => runCommand("/usr/bin/ansible", ["--version"], environment)
  const present = await askVersion()
  if (present.code === 0) return firstLine(present.out)
  await runCommand("apt-get", ["update"], environment)
  await runCommand("apt-get", ["install", "-y", "ansible", "python3-kubernetes"], environment)
  const installed = await askVersion()
  return installed.code === 0 ? firstLine(installed.out) : undefined
}

/** Plays the modules of kubernetes.core, a task after the other. */
export const playAnsible = async (environment: NodeJS.ProcessEnv, report: Report): Promise<void> => {
  const version = await installAnsible(environment)
  if (version === undefined) {
    const detail = "apt-get install -y ansible did not install it"
    return report({ client, what: "install", isOk: false, detail })
  }
  report({ client, what: "install", isOk: true, detail: version })
  const settings = { ANSIBLE_STDOUT_CALLBACK: "json", ANSIBLE_LOCALHOST_WARNING: "False", LC_ALL: "C.UTF-8" }
  const { code, out, errors } = await runCommand("/usr/bin/ansible-playbook", [playbook], {
    ...environment,
    ...settings
  })
  const isRun = out.includes("{")
  const { plays = [] }: Partial<PlaybookRun> = isRun ? JSON.parse(out.slice(out.indexOf("{"))) : {}
  for (const { task, hosts } of plays.flatMap(({ tasks }) => tasks)) {
    for (const { failed = false, changed = false, msg } of Object.values(hosts)) {
      const detail = failed ? firstLine(String(msg)) : changed ? "changed" : "ok"
      report({ client, what: task.name, isOk: !failed, detail })
    }
  }
  if (!isRun || (code !== 0 && plays.length === 0))
    report({ client, what: "the playbook", isOk: false, detail: firstLine(errors) })
}
