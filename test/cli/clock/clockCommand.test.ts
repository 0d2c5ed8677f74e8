import { join } from "node:path"
import { expect, it } from "vitest"
import { charthouse } from "../harness/charthouse.ts"
import { temporaryFolder } from "../harness/kubeconfigs.ts"
import { up } from "../harness/servingCommand.ts"

it("charthouse clock reads, advances, speeds up and pauses the clock of a served cluster", async () => {
  const kubeconfig = join(temporaryFolder(), "config")
  const clock = (...args: ReadonlyArray<string>) => charthouse(["clock", ...args, "--kubeconfig", kubeconfig])
  const state = async (...args: ReadonlyArray<string>) => {
    const { stdout } = await clock(...args, "-o", "json")
    return JSON.parse(stdout) as { readonly now: string; readonly speed: number }
  }
  const { end } = await up(["--clock", "virtual", "--kubeconfig", kubeconfig], /Ctrl-C ends it/)

  const before = await state("now")
  const after = await state("advance", "10m")
  expect(Date.parse(after.now) - Date.parse(before.now)).toBe(600_000)
  expect(await clock("now")).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(
      /^now {4}\S+Z\nspeed {2}0 \(stands still until it is moved\)\nnext {3}\S+ \(in \S+s\)\n$/
    )
  })
  expect(await state("speed", "60x")).toMatchObject({ speed: 60 })
  expect((await clock("speed", "1x")).stdout).toMatch(
    /^(behind|ahead) +\S+, compared with this machine's clock$/m
  )
  expect(await clock("step")).toMatchObject({
    code: 2,
    stderr: "error: only a clock that stands still can be advanced: a virtual one, or one that is paused\n"
  })
  expect(await state("pause")).toMatchObject({ speed: 0 })
  expect(await clock("advance", "soon")).toMatchObject({
    code: 2,
    stderr: 'error: by: "soon" is no duration such as 10m or 1h30m\n'
  })
  expect(await clock("now", "--name", "other")).toMatchObject({
    code: 2,
    stderr: `error: no cluster called "other" is being served, by what ${kubeconfig} says\n`
  })
  await end("SIGTERM")
  expect(await clock("now")).toMatchObject({
    code: 2,
    stderr: `error: no cluster is being served: there is no kubeconfig ${kubeconfig}\n`
  })
})
