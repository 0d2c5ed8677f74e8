import { join } from "node:path"
import { expect, it } from "vitest"
import { charthouse } from "../harness/charthouse.ts"
import { temporaryFolder } from "../harness/kubeconfigs.ts"
import { up } from "../harness/servingCommand.ts"
import { faultSchemaNames } from "../../../src/faults/schemas/faultSchemas.ts"
import { projectPath } from "../../projectPath.ts"

const web = projectPath("scripts/examples/web-v1.yaml")

it("charthouse fault injects, lists and ends faults of a served cluster", async () => {
  const kubeconfig = join(temporaryFolder(), "config")
  const fault = (...args: ReadonlyArray<string>) => charthouse(["fault", ...args, "--kubeconfig", kubeconfig])
  const { end } = await up(["--clock", "virtual", "-f", web, "--kubeconfig", kubeconfig], /Ctrl-C ends it/)
  const time = String.raw`2026-01-01T00:0\d:\S+Z`

  expect(await fault("nodeLost", "node=node-2", "for=5m")).toEqual({
    code: 0,
    stdout: expect.stringMatching(`^fault "fault-1" begun: node-2 is lost for 5m, until ${time}\n$`),
    stderr: ""
  })
  expect(await fault("kill", "pods={deployment: web, count: 2}", "gracePeriodSeconds=0")).toMatchObject({
    code: 0,
    stdout: 'fault "fault-2" done: 2 Pods of Deployment web are deleted with 0s of grace (2 Pods affected)\n'
  })
  const late = await fault("pullFails", "image=*", "-o", "json")
  expect(JSON.parse(late.stdout)).toMatchObject({
    id: "fault-3",
    fault: { fault: "pullFails", image: "*" }
  })
  expect(await fault("list")).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(
      `^ID        FAULT                       AFFECTED   AGE   UNTIL
fault-1   node-2 is lost for 5m       <none>     0s    ${time}
fault-3   images \\* cannot be pulled   no Pod     0s    <none>
$`
    )
  })
  expect(JSON.parse((await fault("list", "-o", "json")).stdout).items).toMatchObject([
    { id: "fault-1" },
    { id: "fault-3", met: 0 }
  ])

  expect(await fault("nodeLos", "node=node-2")).toEqual({
    code: 2,
    stdout: "",
    stderr: "error: fault nodeLos: there is no such fault: did you mean nodeLost?\n"
  })
  expect(await fault("nodeLost", "node=node-9")).toMatchObject({
    code: 2,
    stderr: 'error: fault nodeLost: nodes "node-9" not found\n'
  })
  expect(await fault("nodeLost", "for")).toMatchObject({
    code: 2,
    stderr: 'error: "for" is no FIELD=VALUE, such as for=5m\n'
  })

  expect(await fault("end", "fault-1")).toMatchObject({
    code: 0,
    stdout: 'fault "fault-1" ended: node-2 is lost for 5m\n'
  })
  expect(await fault("end", "fault-1")).toMatchObject({
    code: 2,
    stderr: 'error: no fault "fault-1" is active: it has ended or never began\n'
  })
  expect(await fault("end")).toMatchObject({
    code: 2,
    stderr: "error: say which fault has to end by its ID, or --all\n"
  })
  expect(await fault("end", "--all")).toMatchObject({
    code: 0,
    stdout: 'fault "fault-3" ended: images * cannot be pulled (no Pod affected)\n'
  })
  expect(await fault("list")).toEqual({ code: 0, stdout: "", stderr: "No faults found\n" })
  await end("SIGTERM")
  expect(await fault("list")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("no cluster is being served")
  })
})

it("charthouse fault without a name lists all faults with their fields", async () => {
  const { code, stdout } = await charthouse(["fault"])
  const [head = "", ...lines] = stdout.trimEnd().split("\n")
  expect([code, head.split(/ +/)]).toEqual([0, ["FAULT", "FIELDS", "ABOUT"]])
  expect(lines.map((line) => line.split(" ")[0])).toEqual(faultSchemaNames)
  expect(lines).toContainEqual(
    expect.stringMatching(/^nodeLost +node \[for\] +The node stops sending heartbeats/)
  )
})
