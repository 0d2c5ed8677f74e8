import { connectionTo } from "./clusterConnection.ts"
import { describe, expect, it } from "vitest"
import { everyWorkload } from "../../controllers/workloads/everyWorkload.ts"
import { openCluster } from "../../../src/cluster/openCluster.ts"
import {
  restartWorkload,
  scaleWorkload,
  setImage,
  setSuspended,
  undoWorkloadRollout
} from "../../../src/page/object/actions.ts"
import type { CronJob } from "../../../src/kubernetes/batch/cronJobs/cronJobTypes.ts"
import type { DaemonSet } from "../../../src/kubernetes/apps/daemonSets/daemonSetTypes.ts"
import type { OpenCluster } from "../../../src/cluster/openCluster.ts"
import type { ServerConnection } from "../../../src/page/source/connection.ts"
import type { StatefulSet } from "../../../src/kubernetes/apps/statefulSets/statefulSetTypes.ts"

const resourcesOf = {
  StatefulSet: "statefulsets.apps",
  DaemonSet: "daemonsets.apps",
  CronJob: "cronjobs.batch"
}

interface Shown {
  readonly connection: ServerConnection
  readonly cluster: OpenCluster
}

interface Row {
  readonly why: string
  readonly kind: keyof typeof resourcesOf
  readonly act: (shown: Shown, workload: never) => Promise<unknown>
  /** The last answer, or the refusal. */
  readonly answer: string
  readonly spec: object
}

const image = (name: string) => ({ container: "app", image: name })
const containers = (name: string) => ({ template: { spec: { containers: [{ image: name }] } } })

const rows: ReadonlyArray<Row> = [
  {
    why: "a StatefulSet gets another size",
    kind: "StatefulSet",
    act: ({ connection }, db: StatefulSet) => scaleWorkload(connection, db, "5"),
    answer: "db is scaled to 5 Pods",
    spec: { replicas: 5 }
  },
  {
    why: "a size below 0 is refused in the server's words",
    kind: "StatefulSet",
    act: ({ connection }, db: StatefulSet) => scaleWorkload(connection, db, "-1"),
    answer:
      'Scale.autoscaling "db" is invalid: spec.replicas: Invalid value: -1: must be greater than or equal to 0',
    spec: { replicas: 3 }
  },
  {
    why: "a DaemonSet is restarted by an annotation of its template",
    kind: "DaemonSet",
    act: ({ connection }, agent: DaemonSet) => restartWorkload(connection, agent, Date.UTC(2026, 0, 2)),
    answer: "agent is restarted",
    spec: {
      template: { metadata: { annotations: { "kubectl.kubernetes.io/restartedAt": "2026-01-02T00:00:00Z" } } }
    }
  },
  {
    why: "a DaemonSet goes back to the template before",
    kind: "DaemonSet",
    act: async ({ connection, cluster }, agent: DaemonSet) => {
      await setImage(connection, agent, image("agent:2"))
      await cluster.advance("1s")
      return undoWorkloadRollout(connection, agent, undefined)
    },
    answer: "agent is rolled back to revision 1",
    spec: containers("agent:1")
  },
  {
    why: "a StatefulSet goes back to the revision that is asked for",
    kind: "StatefulSet",
    act: async ({ connection, cluster }, db: StatefulSet) => {
      for (const version of ["db:2", "db:3"]) {
        await setImage(connection, db, image(version))
        await cluster.advance("1s")
      }
      return undoWorkloadRollout(connection, db, 1)
    },
    answer: "db is rolled back to revision 1",
    spec: containers("db:1")
  },
  {
    why: "a StatefulSet without the revision that is asked for stays",
    kind: "StatefulSet",
    act: ({ connection }, db: StatefulSet) => undoWorkloadRollout(connection, db, 7),
    answer: "unable to find specified revision 7 in history",
    spec: containers("db:1")
  },
  {
    why: "a StatefulSet without a template before stays",
    kind: "StatefulSet",
    act: ({ connection }, db: StatefulSet) => undoWorkloadRollout(connection, db, undefined),
    answer: "no last revision to roll back to",
    spec: containers("db:1")
  },
  {
    why: "a CronJob is suspended",
    kind: "CronJob",
    act: ({ connection }, minutely: CronJob) => setSuspended(connection, minutely, true),
    answer: "minutely is suspended",
    spec: { suspend: true }
  },
  {
    why: "a CronJob is resumed",
    kind: "CronJob",
    act: async ({ connection }, minutely: CronJob) => {
      await setSuspended(connection, minutely, true)
      return setSuspended(connection, minutely, false)
    },
    answer: "minutely is resumed",
    spec: { suspend: false }
  }
]

describe("an action of the page", () => {
  it.each(rows)("$why", async ({ kind, act, answer, spec }) => {
    await using cluster = await openCluster({})
    const workload = everyWorkload.find((it) => it.kind === kind)
    if (workload === undefined) throw new Error(`there is no ${kind}`)
    const shown = await cluster.create(workload)
    await cluster.advance("1s")
    const connection = connectionTo(cluster)
    const outcome = await act({ connection, cluster }, shown as never).catch((error: Error) => error.message)
    expect(outcome).toBe(answer)
    expect(await cluster.get({ resource: resourcesOf[kind], name: workload.metadata.name })).toMatchObject({
      spec
    })
  })
})
