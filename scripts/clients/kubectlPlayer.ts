import { join } from "node:path"
import { firstLine, runCommand } from "./attempts.ts"
import type { Kubectl } from "../kubectl.ts"
import type { CommandResult, Report } from "./attempts.ts"

interface Step {
  readonly args: string
  /** What the output must match. The exit code must be 0 as well. */
  readonly shows?: RegExp
}

const objectsFile = join(import.meta.dirname, "objects.yaml")

const workloadsFile = join(import.meta.dirname, "workloads.yaml")

const resizePatch = JSON.stringify({
  spec: { containers: [{ name: "lone", resources: { requests: { cpu: "200m" }, limits: { cpu: "700m" } } }] }
})

const steps: ReadonlyArray<Step> = [
  { args: `apply -f ${objectsFile}` },
  { args: `apply -f ${objectsFile}`, shows: /^configmap\/settings unchanged$/m },
  { args: `diff -f ${objectsFile}` },
  { args: `apply --server-side --force-conflicts -f ${objectsFile}` },
  { args: "create deployment web -n shop --image=web:1 --replicas=2" },
  { args: "rollout status deployment/web -n shop --timeout=60s", shows: /successfully rolled out/ },
  { args: "set image deployment/web -n shop web=web:2" },
  { args: "rollout status deployment/web -n shop --timeout=60s", shows: /successfully rolled out/ },
  { args: "wait deployment/web -n shop --for=condition=Available --timeout=60s", shows: /condition met/ },
  { args: "autoscale deployment web -n shop --min=2 --max=5 --cpu=80%", shows: /autoscaled/ },
  { args: "get hpa web -n shop", shows: /Deployment\/web/ },
  { args: "get all -n shop", shows: /deployment\.apps\/web/ },
  { args: "describe deployment web -n shop", shows: /NewReplicaSetAvailable/ },
  { args: "create token default -n shop --duration=10m", shows: /^\S+\.\S+\.\S+$/m },
  { args: "run lone -n shop --image=web:1", shows: /created/ },
  { args: "wait pod/lone -n shop --for=condition=Ready --timeout=60s", shows: /condition met/ },
  { args: "debug lone -n shop --image=busybox --target=lone --container=tools" },
  {
    args: "wait pod/lone -n shop --for=jsonpath={.status.ephemeralContainerStatuses[0].state.running} --timeout=60s",
    shows: /condition met/
  },
  { args: `patch pod lone -n shop --subresource=resize --patch=${resizePatch}`, shows: /patched/ },
  {
    args: "get pod lone -n shop -o jsonpath={.status.containerStatuses[0].allocatedResources.cpu}",
    shows: /^200m$/
  },
  { args: "top nodes", shows: /^node-1\s/m },
  { args: `apply -n shop -f ${workloadsFile}`, shows: /created/ },
  {
    args: "rollout status statefulset/db -n shop --timeout=60s",
    shows: /roll out complete|rolling update complete/
  },
  { args: "rollout status daemonset/agent -n shop --timeout=60s", shows: /successfully rolled out/ },
  { args: "wait job/twice -n shop --for=condition=complete --timeout=60s", shows: /condition met/ },
  { args: "set image statefulset/db -n shop db=registry.example/db:2", shows: /image updated/ },
  {
    args: "rollout status statefulset/db -n shop --timeout=60s",
    shows: /roll out complete|rolling update complete/
  },
  { args: "rollout history statefulset/db -n shop", shows: /^2\s/m },
  { args: "rollout undo statefulset/db -n shop", shows: /rolled back/ },
  {
    args: "rollout status statefulset/db -n shop --timeout=60s",
    shows: /roll out complete|rolling update complete/
  },
  { args: "set image daemonset/agent -n shop agent=registry.example/agent:2", shows: /image updated/ },
  { args: "rollout status daemonset/agent -n shop --timeout=60s", shows: /successfully rolled out/ },
  { args: "rollout undo daemonset/agent -n shop", shows: /rolled back/ },
  { args: "rollout restart daemonset/agent -n shop", shows: /restarted/ },
  { args: "create job by-hand -n shop --from=cronjob/nightly", shows: /created/ },
  { args: "wait job/by-hand -n shop --for=condition=complete --timeout=60s", shows: /condition met/ },
  { args: "describe cronjob nightly -n shop", shows: /UnexpectedJob/ },
  { args: "describe statefulset db -n shop", shows: /SuccessfulCreate/ },
  { args: "get statefulset,daemonset,job,cronjob -n shop", shows: /^statefulset\.apps\/db\s+2\/2/m },
  // A Pod is measured after 15 seconds: some have been there for longer.
  { args: "top pods -n shop", shows: /^\S+\s+\d+m\s+\d+Mi/m },
  { args: "drain node-2 --ignore-daemonsets --force --delete-emptydir-data --timeout=60s", shows: /drained/ },
  { args: "uncordon node-2", shows: /uncordoned/ },
  { args: `delete -n shop -f ${workloadsFile} --wait=true`, shows: /deleted/ },
  { args: "auth can-i create pods -n shop", shows: /^yes$/m },
  { args: "auth whoami", shows: /charthouse-admin/ },
  { args: "events -n shop", shows: /ScalingReplicaSet/ },
  { args: "get --raw /metrics", shows: /^apiserver_request_total\{/m },
  { args: "get --raw /openid/v1/jwks", shows: /"kty":"EC"/ },
  { args: "version", shows: /Server Version: v1\.36/ },
  { args: "cluster-info", shows: /running at/ },
  { args: "api-versions", shows: /^apps\/v1$/m },
  { args: "delete deployment/web hpa/web pod/lone -n shop --ignore-not-found --wait=true", shows: /deleted/ }
]

/** Plays the life of a Deployment, then `explain` and `get` for every resource that the server has. */
export const playKubectl = async (
  kubectl: Kubectl,
  environment: NodeJS.ProcessEnv,
  report: Report
): Promise<void> => {
  const client = `kubectl ${kubectl.version}`
  const run = (args: ReadonlyArray<string>): Promise<CommandResult> =>
    runCommand(kubectl.path, args, environment)
  const reportResult = (what: string, { code, out, errors }: CommandResult, shows = /(?:)/): boolean => {
    const isOk = code === 0 && shows.test(out)
    const detail = isOk ? firstLine(out).slice(0, 100) : firstLine(`${errors}\n${out}`)
    report({ client, what, isOk, detail })
    return isOk
  }
  for (const { args, shows } of steps) {
    // The option had another name before 1.35.
    const releaseArgs = kubectl.minor < 35 ? args.replace("--cpu=80%", "--cpu-percent=80") : args
    reportResult(releaseArgs, await run(releaseArgs.split(" ")), shows)
  }
  const resourceList = await run(["api-resources", "--no-headers", "-o", "wide"])
  if (!reportResult("api-resources -o wide", resourceList, /^pods\s/m)) return
  const rows = resourceList.out.trim().split("\n")
  report({ client, what: "api-resources", isOk: true, detail: `${rows.length} resources` })
  for (const row of rows) {
    const columns = row.trim().split(/\s+/)
    const namespacedColumn = columns.findIndex((column) => column === "true" || column === "false")
    const [plural = ""] = columns
    const apiVersion = columns[namespacedColumn - 1] ?? ""
    const verbs = columns[namespacedColumn + 2] ?? ""
    // The metrics APIs have no OpenAPI documents here: upstream leaves those to the servers behind them.
    const isDescribed = !/(?:^|\.)metrics\.k8s\.io\//.test(apiVersion)
    const explained = await run(["explain", plural, `--api-version=${apiVersion}`])
    if (isDescribed) reportResult(`explain ${plural} --api-version=${apiVersion}`, explained, /^KIND:\s+\S/m)
    if (!verbs.includes("list")) continue
    const [group, version] = apiVersion.includes("/") ? apiVersion.split("/") : ["", apiVersion]
    const qualifiedName = group === "" ? plural : `${plural}.${version ?? ""}.${group ?? ""}`
    reportResult(`get ${qualifiedName} -A`, await run(["get", qualifiedName, "-A"]))
  }
}
