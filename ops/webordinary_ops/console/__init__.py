"""The operator's console: a web application on this machine that shows a deployment, with the operator's own access.

data/       what the pages show, read by index and a page at a time
machine/    the state machine as a drawing
templates/  pages; assets/ their stylesheet and script
app.py      the application; pages.py, action_pages.py its routes; live.py its live updates
"""
