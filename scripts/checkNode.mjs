// Plain JavaScript, since an old Node cannot read the rest. The `node` package among the dev dependencies brings a
// current one; where its install script was not run, this says so instead of failing somewhere deep inside.
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number)
if (major < 22 || (major === 22 && minor < 19)) {
  process.stderr.write(
    `Charthouse needs Node 22.19 or newer; this is ${process.versions.node}.\n` +
      "Run `npm install` without --ignore-scripts, which brings its own Node, or install a current one.\n"
  )
  process.exit(1)
}
