import { charthouse } from "../harness/charthouse.ts"

/** The exit code, and the line of each verdict. */
export const planned = async (files: Readonly<Record<string, ReadonlyArray<string>>>) => {
  const texts = Object.fromEntries(
    Object.entries(files).map(([name, documents]) => [name, documents.join("\n---\n")])
  )
  const names = Object.keys(files).flatMap((name) => ["-f", name])
  const { code, stdout } = await charthouse(["plan", ...names, "--seeds", "1", "--what-if", "none"], texts)
  return { code, rows: stdout.split("\n").filter((line) => /^[✗✓?] \w+ /u.test(line)) }
}
